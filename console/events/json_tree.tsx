/** JSON as a tree, whose objects and lists open and close. */
import { useState } from "preact/hooks";

/** A list or an object shows so many members at first. */
const firstMembers = 50;

/** A text of more characters begins shortened. */
const longText = 400;

/** Shows a JSON value. `openDepth` is the number of levels that are open at first. */
export function JsonTree({ value, openDepth = 3 }: { value: unknown; openDepth?: number }) {
  return (
    <div class="events-json">
      <JsonValue value={value} depth={openDepth} />
    </div>
  );
}

function JsonValue({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    const members = Object.entries(value);
    if (members.length === 0) return <span class="pale">{isList ? "[]" : "{}"}</span>;
    return <Members members={members} isList={isList} depth={depth} />;
  }
  if (typeof value === "string") return <JsonText text={value} />;
  return <span class="events-json-plain">{String(value)}</span>;
}

function JsonText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= longText);
  return (
    <span class="events-json-text" dir="auto">
      {isWhole ? text : `${text.slice(0, longText)}… `}
      {!isWhole && (
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </button>
      )}
    </span>
  );
}

interface MembersProps {
  members: [string, unknown][];
  isList: boolean;
  depth: number;
}

function Members({ members, isList, depth }: MembersProps) {
  const [count, setCount] = useState(firstMembers);
  const size = `${members.length} ${isList ? "items" : members.length === 1 ? "member" : "members"}`;
  return (
    <details open={depth > 0}>
      <summary>
        <span class="pale">{isList ? `list, ${size}` : size}</span>
      </summary>
      <ul>
        {members.slice(0, count).map(([name, value]) => (
          <li key={name}>
            <span class="events-json-name" dir="auto">
              {name}
            </span>{" "}
            <JsonValue value={value} depth={depth - 1} />
          </li>
        ))}
      </ul>
      {members.length > count && (
        <button
          type="button"
          class="text-button"
          onClick={() => setCount(count + 10 * firstMembers)}
        >
          Show {Math.min(10 * firstMembers, members.length - count)} more
        </button>
      )}
    </details>
  );
}
