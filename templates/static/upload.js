// Comfort only: the form works without. Files come in parts, several at a time, with a
// bar and words for each; what breaks goes on where it stopped, also after a reload,
// when the same file is chosen again. Words come with the page.
const say = document.currentScript.dataset;
const form = document.getElementById("upload-form");
const chosen = form.querySelector("input[type=file]");
const list = document.getElementById("sending");
const filesAtOnce = 3, partsAtOnce = 3, tries = 6, shortest = 1000;
const waiting = [], going = new Set(); // those that are not over
let busy = 0, wrong = 0, kept = 0;

const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const choice = () => form.querySelector("input[name=same]:checked")?.value ?? "version";
const whole = (n) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(n);

class Refused extends Error {}

// ask sends something and tries again while the line or the server is weak.
async function ask(method, url, body, stopped) {
  for (let n = 1; ; n++) {
    let answer;
    try {
      answer = await fetch(url, { method, body, signal: stopped, redirect: "manual" });
    } catch (failure) {
      if (stopped.aborted || n === tries) throw failure;
      await pause(shortest * 2 ** n);
      continue;
    }
    if (answer.ok) return answer.json();
    if (answer.status < 500 || n === tries) {
      const said = await answer.json().catch(() => ({}));
      throw Object.assign(new Refused(said.problem ?? say.again), { status: answer.status });
    }
    await pause(shortest * (Number(answer.headers.get("Retry-After")) || 2 ** n));
  }
}

class Sending {
  constructor(file, path) {
    Object.assign(this, { file, path, sent: new Map(), stop: new AbortController() });
    this.key = ["upload", say.begin, path, choice(), file.name, file.size, file.lastModified].join("\n");
    this.row = document.createElement("div");
    this.row.className = "sending";
    const name = document.createElement("bdi");
    name.textContent = path ? path + "/" + file.name : file.name;
    this.bar = document.createElement("progress");
    this.bar.max = file.size || 1;
    this.bar.setAttribute("aria-label", name.textContent);
    this.words = document.createElement("span");
    this.hold = this.button(say.pause, () => this.toggle());
    this.end = this.button(say.cancel, () => this.cancel());
    this.row.append(name, this.bar, this.words, this.hold, this.end);
    list.append(this.row);
    going.add(this);
    this.tell(say.waiting);
  }
  button(words, act) {
    const b = document.createElement("button");
    b.type = "button";
    b.className = "button small";
    b.textContent = words;
    b.addEventListener("click", act);
    return b;
  }
  tell(words) {
    const sent = [...this.sent.values()].reduce((a, b) => a + b, 0);
    this.bar.value = sent;
    this.words.textContent = words === say.sending ? words + " " + whole(sent / this.bar.max) : words;
  }
  toggle() {
    if (this.stop.signal.aborted) {
      this.stop = new AbortController();
      this.hold.textContent = say.pause;
      this.tell(say.waiting);
      waiting.push(this);
      next();
    } else {
      this.stop.abort();
      if (waiting.includes(this)) waiting.splice(waiting.indexOf(this), 1);
      this.hold.textContent = say.go;
      this.tell(say.paused);
    }
  }
  cancel() {
    this.cancelled = true;
    this.stop.abort();
    this.over(say.cancelled);
    if ([...going].some((one) => one.key === this.key)) return; // a file that was chosen twice
    const known = JSON.parse(localStorage.getItem(this.key) ?? "null");
    if (known) fetch(known.url, { method: "DELETE", keepalive: true }).catch(() => {}); // else it waits for days
    localStorage.removeItem(this.key);
  }
  over(words) {
    going.delete(this);
    this.tell(words);
    this.hold.remove();
    this.end.remove();
  }
  async begin() {
    const known = JSON.parse(localStorage.getItem(this.key) ?? "null");
    if (known) {
      try {
        const came = await ask("GET", known.url, undefined, this.stop.signal);
        // A part whose answer never came is sent again: a store that was cut off in the
        // middle of one may take it for whole.
        this.sent = new Map(Object.entries(came.parts ?? {}).map(([n, size]) => [Number(n), size])
          .filter(([n]) => known.kept?.includes(n)));
        return { ...known, finished: came.finished };
      } catch (failure) {
        if (!(failure instanceof Refused)) throw failure;
      }
    }
    const begun = await ask("POST", say.begin,
      new URLSearchParams({ name: this.file.name, path: this.path, same: choice() }), this.stop.signal);
    if (!begun.skip) localStorage.setItem(this.key, JSON.stringify(begun));
    return begun;
  }
  async run() {
    this.tell(say.sending);
    const upload = await this.begin();
    if (upload.skip) return this.skip();
    const last = upload.finished ? 0 : Math.max(1, Math.ceil(this.file.size / upload.part));
    const parts = Array.from({ length: last }, (_, n) => n + 1).filter((n) => !this.sent.has(n));
    const some = async () => {
      for (let n; (n = parts.shift()); ) {
        const bytes = this.file.slice((n - 1) * upload.part, n * upload.part);
        await ask("PUT", upload.url + "/" + n, bytes, this.stop.signal);
        this.sent.set(n, bytes.size);
        localStorage.setItem(this.key, JSON.stringify({ ...upload, kept: [...this.sent.keys()] }));
        this.tell(say.sending);
      }
    };
    await Promise.all(Array.from({ length: partsAtOnce }, some));
    const { skip } = await ask("POST", upload.url, new URLSearchParams({ same: choice(), size: this.file.size }),
      this.stop.signal);
    localStorage.removeItem(this.key);
    if (skip) return this.skip();
    kept++;
    this.over(say.kept);
  }
  skip() {
    wrong++; // what was left out is to be read here
    this.over(say.skipped);
  }
}

async function next() {
  while (busy < filesAtOnce && waiting.length) {
    const one = waiting.shift();
    if (one.cancelled) continue;
    busy++;
    const stopped = one.stop.signal; // of this try: after a pause another one goes on
    one.run().catch((failure) => {
      if (stopped.aborted) return;
      wrong++;
      one.row.classList.add("wrong");
      one.over(failure instanceof Refused ? failure.message : say.again);
    }).finally(() => {
      busy--;
      next();
      if (!busy && !waiting.length && kept && !wrong && !list.querySelector("button")) {
        location.assign(say.then);
      }
    });
  }
}

function send(file, path = "") {
  waiting.push(new Sending(file, path));
}

// walk finds the files of what was dropped; a folder tells of a hundred at a time.
async function walk(entry, path) {
  if (entry.isFile) {
    send(await new Promise((got, failed) => entry.file(got, failed)), path);
    return;
  }
  const reader = entry.createReader(), inside = path ? path + "/" + entry.name : entry.name;
  for (;;) {
    const some = await new Promise((got, failed) => reader.readEntries(got, failed));
    if (!some.length) return;
    for (const one of some) await walk(one, inside);
  }
}

form.addEventListener("submit", (submit) => {
  if (!chosen.files.length && !busy && !waiting.length) return;
  submit.preventDefault();
  wrong = 0;
  for (const file of chosen.files) send(file);
  chosen.value = "";
  next();
});
document.addEventListener("dragover", (drag) => drag.preventDefault());
document.addEventListener("drop", async (drop) => {
  drop.preventDefault();
  const entries = [...drop.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  for (const entry of entries) {
    if (chosen.multiple || entry.isFile) await walk(entry, "");
  }
  next();
});
