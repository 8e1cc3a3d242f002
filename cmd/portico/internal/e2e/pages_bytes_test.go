package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/storage"
)

// sentParts is of how many parts a file is that a browser sends.
const sentParts = 6

// eachPlaceOfPages is eachPlace for a porter: pages need an address that outlives the
// server behind it.
func eachPlaceOfPages(t *testing.T, test func(t *testing.T, p *porter)) {
	for _, at := range places() {
		t.Run(at.name, func(t *testing.T) {
			var settings []string
			if at.bucket {
				settings, _ = inBucket(t)
			}
			where := at.database(t)
			r, s := newRelay(t, where, settings...)
			s.build()
			test(t, porterOf(t, r, s, where))
		})
	}
}

// beside opens another tab of the same window: what one keeps the other has.
func (b *tab) beside(scripts bool) *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.whole)
	b.Cleanup(cancel)
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !scripts})
	if err != nil {
		b.Fatalf("opening a tab beside: %v", err)
	}
	other := &tab{TB: b.TB, whole: ctx, closes: cancel}
	other.patiently()
	return other
}

// picks chooses a file in the form of an upload and sends it, without waiting.
func (b *tab) picks(file string) {
	b.Helper()
	b.await("upload-form-submit")
	b.act("choosing a file", chromedp.SetUploadFiles(chromedp.ID("field-files"), []string{file}))
	b.click("upload-form-submit")
}

// sizeOfSent is how large the file is that a browser sends: make soak-bytes sets it.
func sizeOfSent(t *testing.T, dir string) int64 {
	t.Helper()
	if os.Getenv(soakMegabytesVariable) != "" {
		return soakSize(t, dir)
	}
	return sentParts*objects.PartSize - 5
}

// kept is a file of the yard's folder: the sum of its newest version, and the number.
func (p *porter) kept(name string) (sum string, number int) {
	p.Helper()
	found, err := p.store.ListContents(p.Context(), p.project, p.files, storage.ContentsQuery{Named: name},
		storage.DataPage{})
	p.must(err)
	if len(found.Items) != 1 {
		p.Fatalf("%d files are called %s", len(found.Items), name)
	}
	tip := found.Items[0].Tip
	bytes, err := p.store.FindObject(p.Context(), tip.Bucket, tip.ObjectKey)
	p.must(err)
	return fmt.Sprintf("%x", bytes.SHA256), tip.Number
}

// Rule: FILES-20
func TestAFileThatABrowserSendsGoesOnAfterTheServerAndItsPageWereGone(t *testing.T) {
	browser := chromium(t)
	eachPlaceOfPages(t, func(t *testing.T, p *porter) {
		size := sizeOfSent(t, p.dir)
		p.largeFile("model.bin", size)
		sum, memory := p.sum("model.bin"), p.watchMemory()
		file := filepath.Join(p.dir, "model.bin")
		p.person("crane@example.test")
		p.command("", "member", "add", "--project", p.project, "--user", "crane@example.test", "--role", "admin")
		upload := p.URL + "/files/projects/" + p.project + "/folders/" + folderURN(p.files) + "/upload"

		held := p.relay.up.hold(size * 3 / 4)
		window := newTab(t, browser, true)
		first := window.beside(true)
		first.open(upload)
		first.signIn("crane@example.test")
		first.picks(file)
		select {
		case <-held:
		case <-time.After(patience):
			t.Fatalf("the file is not sent: %s", first.shows())
		}
		first.closes()
		p.process.kill()
		p.process = p.spawn()
		p.relay.up.pass()

		began, second := time.Now(), window.beside(true)
		second.open(upload)
		second.picks(file)
		second.arrives("done=uploaded", size)
		again := p.relay.up.passed.Load()
		if got, number := p.kept("model.bin"); got != sum || number != 1 {
			t.Errorf("version %d with %s instead of %s", number, got, sum)
		}
		if again > size-objects.PartSize {
			t.Errorf("%d of %d bytes were sent again", again, size)
		}
		resumed := residentPeak(p.site)
		t.Logf("%d MB: the rest, %d MB, took %v, at most %d MB in memory", size/1_000_000, again/1_000_000,
			time.Since(began), resumed/1_000_000)

		plain := window.beside(false)
		plain.open(upload)
		plain.picks(file)
		plain.arrives("done=uploaded", size)
		if got, number := p.kept("model.bin"); got != sum || number != 2 {
			t.Errorf("without script: version %d with %s instead of %s", number, got, sum)
		}
		most := memory()
		t.Logf("at most %d MB in memory", most/1_000_000)
		// The form holds a part at a time, and the client of S3 another: garbage of them waits
		// until the heap is five times what is alive.
		if resumed > flatMemory || most > 2*flatMemory || most == 0 {
			t.Errorf("the server had %d bytes in memory, %d with the form", resumed, most)
		}
	})
}

// arrives waits until the tab is at such an address: for as long as so many bytes take.
func (b *tab) arrives(where string, size int64) {
	b.Helper()
	for end := time.Now().Add(patience + time.Duration(size/5_000_000)*time.Second); ; time.Sleep(time.Second / 5) {
		b.patiently()
		if at, err := chromedp.Run(b.ctx, chromedp.Location()); err == nil && strings.Contains(at, where) {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("after %s bytes it is not at %s\n%s", strconv.FormatInt(size, 10), where, b.shows())
		}
	}
}

// away is how a page finds the line once it is down: whatever it sends fails, and what it has
// given up fails at once.
const away = `window.line = window.fetch;
window.fetch = (where, how) => Promise.reject(how.signal.aborted ? new DOMException("", "AbortError") : new TypeError("away")); true`

// Somebody pauses because nothing moves, and goes on once the line is back: the try that slept
// meanwhile is none of theirs any more.
//
// Rule: FILES-20
func TestAFileThatWasPausedWhileTheLineWasDownGoesOn(t *testing.T) {
	b := craneOnUploads(t)
	b.presses(away)
	b.picks(smallFile(t, "small.bin"))
	b.until("sending", `!!document.querySelector("#sending button")`)
	b.presses(`document.querySelector("#sending button").click(), true`)
	b.presses(`window.fetch = window.line, document.querySelector("#sending button").click(), true`)
	b.arrives("done=uploaded", 5)
}

// Three are sent at a time. A fourth that is paused and goes on waits for its turn once.
//
// Rule: FILES-20
func TestAFileThatWasPausedBeforeItsTurnIsSentOnce(t *testing.T) {
	b := craneOnUploads(t)
	b.presses(away)
	for i := range 4 {
		b.picks(smallFile(t, strconv.Itoa(i)+".bin"))
	}
	b.until("sending", `document.querySelectorAll("#sending .sending").length === 4`)
	b.presses(`window.fourth = document.querySelectorAll("#sending .sending")[3].querySelector("button"), true`)
	b.presses(`fourth.click(), fourth.click(), true`)
	b.presses(`sessionStorage.begun = "", window.fetch = (where, how) => {
		if (where !== say.begin) return line(where, how);
		const name = how.body.get("name");
		if ("12".includes(name[0]) && !sessionStorage.begun.includes(3)) return Promise.reject(new TypeError("away"));
		sessionStorage.begun += name[0];
		return line(where, how);
	}, true`) // the line of two is down until the fourth had its turn
	b.arrives("done=uploaded", 20)
	b.presses(`if (sessionStorage.begun.length !== 4) throw sessionStorage.begun; true`)
}

// What has come for it would take room for as long as it waits to go on.
//
// Rule: OBJ-60
func TestAFileThatIsCancelledIsGivenUpByTheServerToo(t *testing.T) {
	b := craneOnUploads(t)
	b.presses(`window.line = window.fetch, window.fetch = async (where, how) => {
		if (how.method === "PUT") return new Promise(() => {});
		const answer = await line(where, how);
		if (how.method === "DELETE") window.ended = answer.ok;
		return answer;
	}, true`)
	b.picks(smallFile(t, "small.bin"))
	b.until("sending", `localStorage.length > 0`)
	b.presses(`document.querySelectorAll("#sending button")[1].click(), true`)
	b.until("it has ended", `window.ended === true && localStorage.length === 0`)
}

// Both lines go on with one upload: who takes the second back wants the first.
//
// Rule: FILES-20
func TestAFileThatWasChosenTwiceIsSentThoughOneOfThemIsCancelled(t *testing.T) {
	b := craneOnUploads(t)
	b.presses(`window.line = window.fetch, window.held = new Promise((go) => window.goOn = go);
	window.fetch = async (where, how) => {
		if (how.method === "PUT") await held;
		if (how.method === "DELETE") sessionStorage.ended = where;
		return line(where, how);
	}, true`)
	file := smallFile(t, "small.bin")
	b.picks(file)
	b.until("sending", `localStorage.length > 0`)
	b.picks(file)
	b.until("both", `document.querySelectorAll("#sending .sending").length === 2`)
	b.presses(`document.querySelectorAll("#sending .sending")[1].querySelectorAll("button")[1].click(), goOn(), true`)
	b.arrives("done=uploaded", 5)
	b.presses(`if (sessionStorage.ended) throw sessionStorage.ended; true`)
}

// craneOnUploads is a browser where files are sent from.
func craneOnUploads(t *testing.T) *tab {
	y := newYard(t, sqliteURL(t))
	y.person("crane@example.test")
	y.command("", "member", "add", "--project", y.project, "--user", "crane@example.test", "--role", "admin")
	b := newTab(t, chromium(t), true)
	b.open(y.URL + "/files/projects/" + y.project + "/folders/" + folderURN(y.files) + "/upload")
	b.signIn("crane@example.test")
	b.await("upload-form-submit")
	return b
}

func smallFile(t *testing.T, name string) string {
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (b *tab) presses(what string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](what)); err != nil {
		b.Fatal(err)
	}
}
