/** A text that a person types, once they pause. */
import { useEffect, useState } from "preact/hooks";

/** In milliseconds without a key before a search begins. */
const usualPause = 200;

/** Returns the text once it has not changed for `pause` milliseconds. */
export function useSettled(text: string, pause = usualPause): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text, pause]);
  return settled;
}
