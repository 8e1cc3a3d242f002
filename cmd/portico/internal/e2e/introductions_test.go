package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules: IDJAG-6, IDJAG-7
func TestAuthlibIntroducesAPersonToAnotherServerAsItsGuideSays(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	works, chat := start(t, sqliteURL(t)), start(t, sqliteURL(t))
	works.person("person@example.test")
	signIn := works.client("--redirect-uri", chat.URL+"/login/upstream/works/callback", "--profile", "standard", "--scope",
		"openid email profile")
	secret := filepath.Join(t.TempDir(), "secret")
	works.must(os.WriteFile(secret, []byte(signIn.Secret), 0o600))
	service := client{}
	chat.commandJSON(&service, "", "client", "create", "--name", "Assistant", "--type", "service", "--profile", "standard",
		"--scope", "data:read")
	chat.command("", "upstream", "create", "works", "--secret-file", secret, "issuer="+works.URL, "client_id="+signIn.ID,
		"networks=127.0.0.0/8", "join=open", "trust_email=true", "assertion_clients="+service.ID)
	places := []string{"https://id.example.test", works.URL, "https://chat.example.test", chat.URL,
		"https://app.example.test/callback", callback, "CLIENT_ID_THERE", service.ID}
	app := works.register("introductions.md", places[2:]...)
	tokens := works.signedIn("person@example.test").tokens(app, "scope", "openid email")

	person, there := works.signedIn("person@example.test"), chat.visitor("")
	out, err := there.open(chat.URL + "/login/upstream/works")
	works.must(err)
	back, err := person.through(person.open(out.Away.String()))
	works.must(err)
	_, err = there.open(back.Away.String())
	works.must(err)

	program := weave(t, "introduce.py", "introductions.md", append(places[:4:4], "CLIENT_ID_THERE", service.ID,
		"CLIENT_SECRET_THERE", service.Secret, "YOUR_CLIENT_ID", app.ID, "YOUR_CLIENT_SECRET", app.Secret)...)
	file := filepath.Join(t.TempDir(), "main.py")
	works.must(os.WriteFile(file, []byte(program), 0o600))
	cmd := exec.Command(interpreter, file)
	cmd.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1", "ID_TOKEN="+tokens.text("id_token"))
	got := works.visitor("").converse(cmd)
	said, token := claimsOf(t, got["assertion"]), claimsOf(t, got["token"])
	want := map[string]any{"aud": chat.URL, "client_id": service.ID, "email": "person@example.test", "iss": chat.URL,
		"scope": "data:read", "refresh": "", "refused": "invalid_request"}
	if diff := cmp.Diff(want, map[string]any{"aud": said["aud"], "client_id": said["client_id"], "email": said["email"],
		"iss": token["iss"], "scope": token["scope"], "refresh": got["refresh"], "refused": got["refused"]}); diff != "" {
		t.Errorf("Authlib found (-want +got):\n%s", diff)
	}
}
