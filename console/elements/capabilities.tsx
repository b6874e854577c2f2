/** Capabilities as people read them: `repo.list` and not `CAP_REPO_LIST`. */
import { capabilityInfo } from "../../client/capabilities.ts";

/** The name of a capability. One that this version does not know keeps its value. */
export const capabilityName = (value: string): string => capabilityInfo(value)?.name ?? value;

/** Names that are visible before the rest is opened. */
const maxShown = 6;

/** The names of capabilities. A long list opens with a button. */
export function CapabilityNames({ values }: { values: readonly string[] }) {
  const names = values.map(capabilityName);
  const rest = names.length - maxShown;
  if (rest <= 1) return <Names names={names} />;
  return (
    <>
      <Names names={names.slice(0, maxShown)} />
      <details class="more-capabilities">
        <summary>and {rest} more</summary>
        <Names names={names.slice(maxShown)} />
      </details>
    </>
  );
}

const Names = ({ names }: { names: readonly string[] }) => (
  <span class="capability-names">
    {names.map((name) => (
      <code key={name}>{name}</code>
    ))}
  </span>
);
