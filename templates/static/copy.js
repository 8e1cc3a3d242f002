// Comfort only: a button that copies what stands in front of it. Its words come
// with the page.
const words = document.currentScript.dataset;
for (const text of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small copy";
  button.textContent = words.say;
  button.setAttribute("aria-label", words.named.replace("*", () => text.dataset.copy));
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = words.done;
    setTimeout(() => { button.textContent = words.say; }, 2000);
  });
  text.after(button);
}
