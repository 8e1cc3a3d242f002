package app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class App {
    public static void main(String[] args) {
        SpringApplication.run(App.class, args);
    }

    @GetMapping("/")
    String home(@AuthenticationPrincipal OidcUser user) {
        return user.getSubject() + " " + user.getFullName() + " " + user.getEmail();
    }

    @GetMapping("/bye")
    String bye() {
        return "bye";
    }

    @GetMapping("/api/things")
    String things(Authentication caller) {
        return caller.getAuthorities().toString();
    }
}
