/** A field that searches while the person types. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useSettled } from "../data/settled.ts";

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
  const settled = useSettled(text);
  useLayoutEffect(() => setText(value), [value]);
  useEffect(() => {
    if (settled !== value) onSearch(settled);
  }, [settled]);
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
