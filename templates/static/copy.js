// Comfort only: a button that copies what stands in front of it.
for (const text of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy " + text.dataset.copy);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  text.after(button);
}
