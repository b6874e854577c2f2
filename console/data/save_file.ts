/** Files for the person's own machine. */

/** How long the browser may take to begin the download, in milliseconds. */
const lifetime = 60_000;

/** Lets the browser save a text as a file. The name loses the characters that a file name cannot have. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\w.@-]+/g, "-").slice(-120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), lifetime);
}
