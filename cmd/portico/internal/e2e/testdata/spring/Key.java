package app;

import com.nimbusds.jose.jwk.JWK;
import java.util.List;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2ClientCredentialsGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientClientCredentialsTokenResponseClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;

/** A client of Spring Security that proves itself by its key. With an audience it names that. */
public class Key {
    public static void main(String[] args) throws Exception {
        JWK key = JWK.parse(System.getenv("PRIVATE_JWK"));
        ClientRegistration me = ClientRegistration.withRegistrationId("portico")
                .clientId(System.getenv("CLIENT_ID"))
                .clientAuthenticationMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT)
                .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
                .scope("data:read")
                .tokenUri(System.getenv("ISSUER") + "/authentication/v2/token")
                .build();
        var proving = new NimbusJwtClientAuthenticationParametersConverter<OAuth2ClientCredentialsGrantRequest>(one -> key);
        String audience = System.getenv("AUDIENCE");
        if (audience != null) {
            proving.setJwtClientAssertionCustomizer(context -> context.getClaims().audience(List.of(audience)));
        }
        var client = new RestClientClientCredentialsTokenResponseClient();
        client.addParametersConverter(proving);
        var answer = client.getTokenResponse(new OAuth2ClientCredentialsGrantRequest(me));
        System.out.println(answer.getAccessToken().getTokenType().getValue() + " " + answer.getAccessToken().getScopes());
    }
}
