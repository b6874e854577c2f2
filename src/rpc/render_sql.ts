/**
 * Builds and renders SQL like drizzle itself, in a fraction of the time. drizzle compares each part with up to fifteen
 * classes and their parents. It also copies the text once for each level.
 */
import {
  Column,
  getTableName,
  getViewName,
  Name,
  Param,
  type Query,
  SQL,
  type SQLChunk,
  StringChunk,
  Subquery,
  Table,
  View,
} from "drizzle-orm";
import { TypedQueryBuilder } from "drizzle-orm/query-builders/query-builder";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

const comma = new StringChunk(", ");
const as = new StringChunk(" as ");

const isEmpty = ({ queryChunks }: SQL) => queryChunks.length === 0;

/** The name of a table, a view or a subquery. Undefined for SQL. */
function nameOf(table: SelectConfig["table"]): string | undefined {
  if (table instanceof SQL) return undefined;
  if (table instanceof Subquery) return table._.alias;
  return table instanceof View ? getViewName(table) : getTableName(table);
}

/** A column without the name of its table, which a select of one table does not need. */
const bareName = (chunk: SQLChunk): SQLChunk =>
  chunk instanceof Column ? new Name(chunk.name) : chunk;

type SelectConfig = Parameters<SQLiteAsyncDialect["buildSelectQuery"]>[0];

/** drizzle's dialect of SQLite, with a faster renderer. */
export class Dialect extends SQLiteAsyncDialect {
  override buildSelectQuery(config: SelectConfig): SQL {
    const selection = this.#selectionOf(config);
    if (!selection) return super.buildSelectQuery(config);
    const query = super.buildSelectQuery({ ...config, fields: {}, fieldsFlat: [] });
    const at = query.queryChunks.findIndex((one) => one instanceof SQL && isEmpty(one));
    query.queryChunks[at] = selection;
    return query;
  }

  /** The columns of a select of one table. Undefined for a select of a rare kind. */
  #selectionOf({ fields, fieldsFlat, table, joins, setOperators }: SelectConfig): SQL | undefined {
    if (fieldsFlat || joins?.length || setOperators.length > 0) return undefined;
    const name = nameOf(table);
    const chunks: SQLChunk[] = [];
    for (const field of Object.values(fields)) {
      const some = this.#selectedField(field, name);
      if (!some) return undefined;
      chunks.push(...(chunks.length > 0 ? [comma] : []), ...some);
    }
    return chunks.length > 0 ? new SQL(chunks) : undefined;
  }

  #selectedField(field: unknown, table: string | undefined): SQLChunk[] | undefined {
    if (field instanceof Column) {
      const isPlain =
        getTableName(field.table) === table && field.columnType !== "SQLiteNumericBigInt";
      return isPlain ? [bareName(field)] : undefined;
    }
    if (field instanceof SQL) return field.queryChunks.map(bareName);
    if (!(field instanceof SQL.Aliased)) return undefined;
    const alias = new Name(field.fieldAlias);
    // A cast, because the types of drizzle do not show it.
    if ((field as unknown as { isSelectionField: boolean }).isSelectionField) return [alias];
    return [...field.sql.queryChunks.map(bareName), as, alias];
  }

  override sqlToQuery(sql: SQL): Query {
    const query: Query = { sql: "", params: [] };
    this.#write(sql, query);
    return query;
  }

  #write(chunk: unknown, query: Query): void {
    if (chunk === undefined) return;
    if (typeof chunk !== "object" || chunk === null) {
      query.sql += "?";
      query.params.push(chunk);
    } else if (chunk instanceof StringChunk) query.sql += chunk.value.join("");
    else if (chunk instanceof SQL) this.#writeSql(chunk, query);
    else if (chunk instanceof Column) {
      const [table, column] = [getTableName(chunk.table), chunk.name];
      query.sql += `${this.escapeName(table)}.${this.escapeName(column)}`;
    } else if (chunk instanceof Table) query.sql += this.escapeName(getTableName(chunk));
    else if (chunk instanceof Name) query.sql += this.escapeName(chunk.value);
    else if (chunk instanceof Param) this.#writeParam(chunk, query);
    else if (Array.isArray(chunk)) this.#writeList(chunk, query);
    else if (chunk instanceof TypedQueryBuilder) this.#writeList([chunk.getSQL()], query);
    else if (chunk instanceof Subquery && !chunk._.isWith) {
      this.#writeList([chunk._.sql], query);
      query.sql += ` ${this.escapeName(chunk._.alias)}`;
    } else this.#leave(chunk, query);
  }

  #writeSql(sql: SQL, query: Query): void {
    // A cast, because the types of drizzle do not show it.
    if ((sql as unknown as { shouldInlineParams: boolean }).shouldInlineParams)
      this.#leave(sql, query);
    else for (const chunk of sql.queryChunks) this.#write(chunk, query);
  }

  #writeParam(param: Param, query: Query): void {
    const { value, encoder } = param;
    const mapped = typeof value === "object" ? value : encoder.mapToDriverValue(value);
    if (typeof mapped === "object" && mapped !== null) {
      this.#leave(param, query);
      return;
    }
    query.sql += "?";
    query.params.push(mapped);
  }

  #writeList(chunks: unknown[], query: Query): void {
    query.sql += "(";
    for (const [at, chunk] of chunks.entries()) {
      if (at > 0) query.sql += ", ";
      this.#write(chunk, query);
    }
    query.sql += ")";
  }

  /** Writes a chunk of a rare kind as drizzle does. */
  #leave(chunk: unknown, query: Query): void {
    const { sql, params } = super.sqlToQuery(new SQL([chunk as SQLChunk]));
    query.sql += sql;
    query.params.push(...params);
  }
}
