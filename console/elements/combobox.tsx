/** A text field with suggestions (ARIA Authoring Practices, combobox with a list). */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Field } from "./fields.tsx";

/** A suggestion. */
export interface Option {
  /** The meaning of the choice for the program, such as a uid. */
  value: string;
  text: string;
  /** A second line, such as the group of an identity. */
  detail?: string;
}

interface ComboboxProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** The text that the person has typed. */
  text: string;
  onText: (text: string) => void;
  options: readonly Option[];
  onChoose: (option: Option) => void;
  /** Whether the suggestions are on their way. */
  busy?: boolean;
  /** The sentence of the list if there are no suggestions for a text. */
  nothing?: string;
  /** Whether the list is always open, as in the command palette. */
  alwaysOpen?: boolean;
  placeholder?: string;
}

/** The keyboard moves through the suggestions with the arrow keys, and Enter chooses one. */
export function Combobox(props: ComboboxProps) {
  const { label, hint, error, text, onText, options, onChoose, placeholder } = props;
  const { busy = false, alwaysOpen = false, nothing } = props;
  const listId = useId();
  // The focus alone does not open it: a form that begins with this field would begin with a list over its other fields.
  const [isAsked, setOpen] = useState(false);
  const [moved, setActive] = useState(0);
  // The list can become shorter while the text stays.
  const active = Math.max(0, Math.min(moved, options.length - 1));
  const isOpen = (alwaysOpen || isAsked) && options.length > 0;
  const isNothing = isAsked && !busy && text.trim() !== "" && options.length === 0;
  useLayoutEffect(() => setActive(0), [text]);
  const choose = (option: Option | undefined) => {
    if (!option) return;
    onChoose(option);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setOpen(true);
      setActive((active + move + options.length) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      choose(options[active]);
    } else if (event.key === "Escape" && isOpen && !alwaysOpen) {
      // Otherwise the dialog around it would close too.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div class="combobox">
      <Field label={label} hint={hint} error={error}>
        {(attributes) => (
          <>
            <input
              {...attributes}
              class="input"
              type="text"
              role="combobox"
              autocomplete="off"
              aria-autocomplete="list"
              aria-expanded={isOpen}
              aria-controls={listId}
              aria-busy={busy}
              aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
              placeholder={placeholder}
              value={text}
              onInput={({ currentTarget }) => {
                setOpen(true);
                onText(currentTarget.value);
              }}
              onClick={() => setOpen(true)}
              onBlur={() => setOpen(false)}
              onKeyDown={onKeyDown}
            />
            <Suggestions
              listId={listId}
              options={options}
              active={active}
              choose={choose}
              label={label}
              hidden={!isOpen}
            />
            {nothing !== undefined && (
              <p class="suggestions hint" role="status" hidden={!isNothing}>
                {isNothing ? nothing : ""}
              </p>
            )}
          </>
        )}
      </Field>
    </div>
  );
}

interface SuggestionsProps {
  listId: string;
  label: string;
  options: readonly Option[];
  active: number;
  choose: (option: Option) => void;
  hidden: boolean;
}

function Suggestions({ listId, label, options, active, choose, hidden }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      class="suggestions"
      id={listId}
      role="listbox"
      aria-label={label}
      hidden={hidden}
      ref={list}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys.
        <div
          key={option.value}
          id={`${listId}-${index}`}
          role="option"
          class="suggestion"
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
        >
          <span>{option.text}</span>
          {option.detail && <span class="pale">{option.detail}</span>}
        </div>
      ))}
    </div>
  );
}
