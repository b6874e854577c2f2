/** The forms of a resource's name, one for each place that uses it. */
import { usageFailure } from "../failure.ts";

/** The names that templates contain as `{{name}}`, with examples for `audit_logs`. */
export type Names = {
  domain: string;
  /** `auditLogs` */
  plural: string;
  /** `audit_logs` */
  plural_snake: string;
  /** `AuditLogs` */
  Kinds: string;
  /** `auditLog` */
  kind: string;
  /** `audit_log` */
  snake: string;
  /** `AuditLog` */
  Kind: string;
  /** `audit-log` */
  dashed: string;
  /** `audit log` */
  words: string;
  /** `an audit log` */
  "a words": string;
  /** `An audit log` */
  "A words": string;
  "plural words": string;
  /** `Audit logs` */
  "Plural words": string;
  /** `EVENTS_AUDIT_LOG`, as in the names of its capabilities. */
  CAPABILITY: string;
};

/**
 * Returns the names for a path such as `events/audit_logs`. Throws a USAGE Failure unless the path is a domain and a
 * plural in snake case.
 */
export function namesOf(path: string): Names {
  const [, domain, plural] = /^([a-z]+)\/([a-z]+(?:_[a-z]+)*(?<![isu])s)$/.exec(path) ?? [];
  if (!domain || !plural) {
    throw usageFailure(
      `Write <domain>/<resources>, with the resources in the plural and in snake case, such as events/webhooks or events/audit_logs. You gave: ${path}`,
    );
  }
  const snake = singular(plural);
  const words = snake.replaceAll("_", " ");
  const aWords = `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
  return {
    domain,
    plural: camel(plural),
    plural_snake: plural,
    Kinds: capitalized(camel(plural)),
    kind: camel(snake),
    snake,
    Kind: capitalized(camel(snake)),
    dashed: snake.replaceAll("_", "-"),
    words,
    "a words": aWords,
    "A words": capitalized(aWords),
    "plural words": plural.replaceAll("_", " "),
    "Plural words": capitalized(plural.replaceAll("_", " ")),
    CAPABILITY: `${domain}_${snake}`.toUpperCase(),
  };
}

const singular = (plural: string) =>
  plural
    .replace(/ies$/, "y_")
    .replace(/(ss|x|ch|sh)es$/, "$1_")
    .replace(/s$/, "")
    .replace(/_$/, "");

const camel = (snake: string) =>
  snake.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a template with these names filled in. Throws an Error for an unknown name. */
export const filled = (template: string, names: Names): string =>
  template.replace(/\{\{(\w[\w ]*)\}\}/g, (_, name: string) => {
    const value = names[name as keyof Names];
    if (value === undefined)
      throw new Error(`a template contains the unknown placeholder {{${name}}}`);
    return value;
  });
