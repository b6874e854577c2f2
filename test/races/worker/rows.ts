/** The rows of every table: those of the world, and the changes of a run. */
import type { DurableObjectStorage } from "@cloudflare/workers-types";
import type { SentStatement } from "../../world/recorder.ts";
import type { Columns, RowText, TableChange } from "../protocol.ts";

/** The writes of a statement, or of a statement in a trigger. */
const written = /(?:\binsert (?:or ignore )?into|(?<!do )\bupdate|\bdelete from) "?([a-z_]+)"?/gi;
const tablesIn = (text: string) => [...text.matchAll(written)].map(([, table = ""]) => table);

export class RowTracker {
  readonly #storage: DurableObjectStorage;
  #queries: Record<string, string> = {};
  #texts: Record<string, string> = {};
  #sets: Record<string, Set<RowText>> = {};
  /** Maps a table to those that its triggers write. */
  readonly #triggered: Record<string, string[]> = {};
  readonly #known = new Map<string, string[]>();

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Makes the current rows those of the world. */
  keep(): Columns {
    const { sql } = this.#storage;
    const ask = (query: string, ...values: string[]) =>
      sql.exec<Record<"name" | "text", string>>(query, ...values).toArray();
    for (const { name, text } of ask(
      "select tbl_name as name, sql as text from sqlite_master where type = 'trigger'",
    )) {
      const body = text.slice(text.search(/\bbegin\b/i));
      this.#triggered[name] = [...(this.#triggered[name] ?? []), ...tablesIn(body)];
    }
    const columns: Columns = {};
    for (const { name } of ask(
      "select name from sqlite_master where type = 'table' and name not glob '_cf*' order by name",
    )) {
      const query = "select name from pragma_table_xinfo(?) where hidden = 0 order by cid";
      columns[name] = ask(query, name).map((column) => column.name);
    }
    this.#queries = Object.fromEntries(
      Object.entries(columns).map(([table, names]) => {
        // JSON has no bytes.
        const list = names.map(
          (name) => `iif(typeof("${name}") = 'blob', hex("${name}"), "${name}")`,
        );
        return [
          table,
          `select json_group_array(json_array(${list.join(", ")})) as text from ${table}`,
        ];
      }),
    );
    const tables = Object.keys(columns);
    this.#texts = Object.fromEntries(tables.map((table) => [table, this.#read(table)]));
    this.#sets = Object.fromEntries(
      Object.entries(this.#texts).map(([table, text]) => [table, new Set(rowsOf(text))]),
    );
    return columns;
  }

  #read(table: string): string {
    return this.#storage.sql.exec<{ text: string }>(this.#queries[table] ?? "").one().text;
  }

  /** The tables that a statement can change. */
  #writtenBy(text: string): string[] {
    const known = this.#known.get(text);
    if (known) return known;
    const all = new Set<string>();
    const add = (table: string) => {
      if (all.has(table)) return;
      all.add(table);
      for (const further of this.#triggered[table] ?? []) add(further);
    };
    for (const table of tablesIn(text)) add(table);
    this.#known.set(text, [...all]);
    return [...all];
  }

  /** The rows that differ from the world after the statements, by table. */
  changes(statements: SentStatement[]): Record<string, TableChange> {
    const touched = new Set(statements.flatMap(({ sql }) => this.#writtenBy(sql)));
    const changed = [...touched]
      .sort()
      // A view has no rows of its own. Its triggers write tables.
      .filter((table) => table in this.#queries)
      .map((table): [string, string] => [table, this.#read(table)])
      .filter(([table, text]) => text !== this.#texts[table]);
    return Object.fromEntries(
      changed.map(([table, text]) => {
        const before = this.#sets[table] ?? new Set();
        const after = rowsOf(text);
        const there = new Set(after);
        const gone = [...before].filter((row) => !there.has(row));
        return [table, { gone, new: after.filter((row) => !before.has(row)) }];
      }),
    );
  }

  /** Whether every row is that of the world. */
  get isWhole(): boolean {
    return Object.entries(this.#texts).every(([table, text]) => this.#read(table) === text);
  }
}

const rowsOf = (text: string): RowText[] =>
  (JSON.parse(text) as unknown[]).map((row) => JSON.stringify(row));
