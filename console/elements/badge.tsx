/** Marks: a word in a colored frame. The word says everything, and the color only helps to find it. */
import type { ComponentChildren } from "preact";

/** The tone of a mark. */
export type Tone = "plain" | "good" | "bad" | "warn" | "info";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const severityTones: Record<string, string> = {
  CRITICAL: "critical",
  HIGH: "high",
  MEDIUM: "medium",
  LOW: "low",
  NEGLIGIBLE: "negligible",
};

/** The severity of a finding, such as `Critical`. `severity` is the name of an enum value, with or without a prefix. */
export function Severity({ severity, count }: { severity: string; count?: number }) {
  const word = severity.replace(/^.*SEVERITY_/, "").replace(/^SEVERITY_?/, "");
  const name = word === "" || word === "UNSPECIFIED" ? "Unknown" : capitalized(word);
  return (
    <span class={`badge severity-${severityTones[word] ?? "unknown"}`}>
      {name}
      {count === undefined ? "" : ` ${count}`}
    </span>
  );
}

/** `RELEASE_MOVED` as `Release moved`. */
export const capitalized = (word: string): string => {
  const text = word.toLowerCase().replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};
