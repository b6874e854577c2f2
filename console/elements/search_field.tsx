/** A field that searches while the person types. */
import { useEffect, useState } from "preact/hooks";

/** In milliseconds without a key before the search begins. */
const pause = 200;

/** `value` is the text that was searched for last. `onSearch` gets the next one. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="input search-field"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
