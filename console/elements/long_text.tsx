/** A text of others that can be very long. Its beginning shows, and the rest on demand. */
import { useState } from "preact/hooks";
import { formatCount } from "./bytes.ts";

/** The characters that show at first. */
const firstPart = 600;

/** The text, with its own direction. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= firstPart) return <bdi>{text}</bdi>;
  // A character outside the basic plane is two units, and half of one is not a character.
  const shown = text.slice(0, firstPart).replace(/[\uD800-\uDBFF]$/, "");
  return (
    <>
      <bdi>{shown}…</bdi>{" "}
      <button type="button" class="text-button" onClick={() => setWhole(true)}>
        Show all {formatCount(text.length)} characters
      </button>
    </>
  );
}
