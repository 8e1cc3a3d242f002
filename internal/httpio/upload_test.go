package httpio_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

const multipartType = "multipart/form-data; boundary=b"

func multipartBody(fields ...string) string {
	var body strings.Builder
	for _, field := range fields {
		name, content, _ := strings.Cut(field, "=")
		body.WriteString("--b\r\nContent-Disposition: form-data; name=\"" + name +
			"\"; filename=\"../x\"\r\nContent-Type: text/html\r\n\r\n" + content + "\r\n")
	}
	return body.String() + "--b--\r\n"
}

// Rule: PORTAL-16
func TestReadUploadReturnsTheFileOfTheField(t *testing.T) {
	for name, content := range map[string]string{"a file": "x\x00\xff\r\ny",
		"as large as is allowed": strings.Repeat("x", 100), "no file chosen": ""} {
		t.Run(name, func(t *testing.T) {
			got, err := httpio.ReadUpload(httptest.NewRecorder(), post(multipartType, multipartBody("logo="+content)), "logo",
				100)
			if err != nil || string(got) != content {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// Rule: PORTAL-16
func TestReadUploadRefusesWhatIsNoFormWithOneFile(t *testing.T) {
	tests := map[string]struct {
		contentType, body string
		kind              fault.Kind
		source            string
	}{
		"a plain form":   {formType, "logo=x", fault.UnsupportedMedia, "Content-Type"},
		"no media type":  {"", "x", fault.UnsupportedMedia, "Content-Type"},
		"no boundary":    {"multipart/form-data", multipartBody("logo=x"), fault.UnsupportedMedia, "Content-Type"},
		"another field":  {multipartType, multipartBody("other=x"), fault.Invalid, ""},
		"a field more":   {multipartType, multipartBody("logo=x", "other=y"), fault.Invalid, ""},
		"the file twice": {multipartType, multipartBody("logo=x", "logo=y"), fault.Invalid, ""},
		"an end in the file": {multipartType, strings.TrimSuffix(multipartBody("logo=x"), "\r\n--b--\r\n"),
			fault.Invalid, ""},
		"nothing":                 {multipartType, "", fault.Invalid, ""},
		"a byte too many":         {multipartType, multipartBody("logo=" + strings.Repeat("x", 101)), fault.TooLarge, ""},
		"a body without an end":   {multipartType, multipartBody("logo=" + strings.Repeat("x", 10_000)), fault.TooLarge, ""},
		"headers that never stop": {multipartType, "--b\r\n" + strings.Repeat("X: y\r\n", 200), fault.Invalid, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := httpio.ReadUpload(httptest.NewRecorder(), post(tt.contentType, tt.body), "logo", 100)
			refused(t, err, tt.kind, tt.source)
		})
	}
}

func TestReadFileReturnsTheBodyOfItsTypeAlone(t *testing.T) {
	got, err := httpio.ReadFile(httptest.NewRecorder(), post("text/csv; charset=utf-8", "a,b"), "text/csv", 3)
	if err != nil || string(got) != "a,b" {
		t.Errorf("%q, %v", got, err)
	}
	_, err = httpio.ReadFile(httptest.NewRecorder(), post("text/csv", "a,bc"), "text/csv", 3)
	refused(t, err, fault.TooLarge, "")
	_, err = httpio.ReadFile(httptest.NewRecorder(), post("application/json", "a,b"), "text/csv", 3)
	refused(t, err, fault.UnsupportedMedia, "Content-Type")
}
