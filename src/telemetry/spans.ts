/** Spans: what a request did, and how long each part took. They have names and numbers, and never values of a caller. */

export type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue | undefined>;

/** The numbers of OTLP for the kinds of spans. */
export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4 } as const;
export type SpanKind = keyof typeof spanKinds;

/** A span that has ended. Times are in milliseconds since 1970 in UTC. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: SpanKind;
  start: number;
  end: number;
  isFailed: boolean;
  /** Called once, and only if the span is exported. */
  describe: () => Attributes;
}

/** The most spans of one export. Further ones are counted. */
export const maxSpans = 128;

/** The kind and the table of a statement, such as `select tags`. It contains nothing else of its text. */
export function statementName(sql: string): string {
  const write = /\b(insert (?:or \w+ )?into|update|delete from)\s+"?(\w+)"?/i.exec(sql);
  if (write) return `${write[1]?.split(" ")[0]?.toLowerCase()} ${write[2]}`;
  // With several tables, the first that is not a part of the statement itself.
  const parts = new Set(
    [...sql.matchAll(/"(\w+)"(?:\([^)]*\))?\s+as\s+\(/gi)].map(([, name]) => name),
  );
  const tables = [...sql.matchAll(/\bfrom\s+"?([a-z_]\w*)"?/gi)].map(([, name]) => name);
  const table = tables.find((name) => !parts.has(name) && name !== "json_each");
  return table === undefined ? "select" : `select ${table}`;
}

/** The most statements of a batch that its span names. */
const maxNamed = 16;

/** The names of the statements in a batch. */
export function batchSummary(statements: readonly { sql: string }[]): string {
  const names = statements.slice(0, maxNamed).map(({ sql }) => statementName(sql));
  const left = statements.length - names.length;
  return [...names, ...(left > 0 ? [`and ${left} more`] : [])].join("; ");
}
