/**
 * A call with an idempotency key. It stores the key in the batch of its write, with the answer. So the answer is there
 * exactly if the write is, even if no one received it. Of several equal calls at once, one stores the key. The batches
 * of the others are undone, and these calls run again and find the answer.
 */
import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import { and, eq, gt, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { DAY_MS } from "../../schema/tables/columns.ts";
import { idempotencyKeys } from "../../schema/tables/platform/idempotency_keys.ts";
import { callRunning, keyReused } from "../aip/errors.ts";
import { sha256 } from "../aip/sha256.ts";
import { isUid, rootOf } from "../aip/uid_path.ts";
import type { Call, Credential } from "../auth/call.ts";
import { type Database, isSpread, rowsOfEach } from "../auth/databases.ts";
import type { Idempotency } from "../auth/idempotency.ts";
import { commit, onlyIfChanged } from "../outbox/commit.ts";
import { readAnswer, type StoredAnswer, storedAnswer } from "./stored_answer.ts";

type Statement = BatchItem<"sqlite">;

/** How long a key is kept, in milliseconds. */
export const keyLifetime = DAY_MS;

/** The time in which a call whose answer is stored after its write is surely over, in milliseconds. */
const maxOpenTime = 30_000;

/** Ends a call whose answer is known from an earlier one. It is caught before it becomes an error. */
export class Replay extends Error {
  readonly answer: Message;
  constructor(answer: Message) {
    super("the call was answered before");
    this.answer = answer;
  }
}

/** The key of a call and its request, as they are stored. */
export interface StoredKey {
  organization: string;
  caller: string;
  key: string;
  method: string;
  request: string;
}

/** The caller of a key: an identity, or the person that a token of another issuer stands for. */
const callerOf = ({ bearer }: Credential) => ("uid" in bearer ? bearer.uid : bearer.person);

/**
 * The key of a request that was read and is not changed yet. `scope` is the uid that the request is about. Requests that
 * name their organization in another way have it in their parent or code.
 */
export async function storedKeyOf(
  method: DescMethod,
  key: string,
  request: Message,
  { scope, credential }: { scope: string; credential: Credential },
): Promise<StoredKey> {
  const { parent, code } = request as { parent?: unknown; code?: unknown };
  const texts = [scope, parent, code].filter((text) => typeof text === "string");
  const organization = rootOf(texts.find(isUid) ?? "");
  const name = `${method.parent.typeName}/${method.name}`;
  const digest = await sha256(toBinary(method.input, request as never));
  return {
    organization,
    caller: callerOf(credential),
    key: await sha256(key),
    method: name,
    request: await sha256(`${name}\n${digest}`),
  };
}

const selectKey = (db: Database, { organization, caller, key }: StoredKey, now: number) =>
  db
    .select({
      request: idempotencyKeys.request,
      form: idempotencyKeys.form,
      answer: idempotencyKeys.answer,
      createTime: idempotencyKeys.createTime,
    })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.organization, organization),
        eq(idempotencyKeys.caller, caller),
        eq(idempotencyKeys.key, key),
        gt(idempotencyKeys.createTime, now - keyLifetime),
      ),
    );

type KeyRow = Awaited<ReturnType<typeof selectKey>>[number];

type Context = Pick<Call, "db" | "databases" | "config" | "method" | "now" | "responseHeaders">;

/** One attempt of a call with a key. */
export class Attempt implements Idempotency {
  readonly #call: Context;
  readonly #key: StoredKey;
  #db: Database;
  #rows: KeyRow[] | undefined;
  #pendingWrite: { db: Database; write: (key: Statement[]) => Promise<unknown> } | undefined;
  #openDatabase: Database | undefined;

  constructor(call: Context, key: StoredKey) {
    this.#call = call;
    this.#key = key;
    this.#db = call.db;
  }

  /** A call without an organization can write any database, and all of them are asked before it begins. */
  async begin(): Promise<void> {
    const { databases, now } = this.#call;
    if (this.#key.organization !== "" || !isSpread(databases)) return;
    this.#rows = await rowsOfEach(databases, (db) => selectKey(db, this.#key, now));
  }

  lookup(db: Database): Statement[] {
    if (this.#rows) return [];
    this.#db = db;
    return [selectKey(db, this.#key, this.#call.now)];
  }

  takeRows(rows: unknown[] | undefined): void {
    // A cast, because the rows come from a batch of several statements.
    if (rows) this.#rows = rows as KeyRow[];
  }

  async replay<Answer extends Message>(
    check: (answer: Answer) => Promise<void> | void = () => {},
  ): Promise<void> {
    const [row] = this.#rows ?? [];
    if (!row) return;
    if (row.request !== this.#key.request) throw keyReused();
    if (row.form === "open") return this.#requireOver(row);
    const { config, method } = this.#call;
    const answer = await readAnswer(config, this.#key.key, method.output, row);
    await check(answer as Answer);
    throw new Replay(answer);
  }

  /** A write whose answer was lost is repeated. That changes nothing that the first one did not change. */
  #requireOver({ createTime }: KeyRow): void {
    const { now, responseHeaders } = this.#call;
    if (createTime <= now - maxOpenTime) return;
    responseHeaders.set("retry-after", "1");
    throw callRunning();
  }

  async hold(db: Database, write: (key: Statement[]) => Promise<unknown>): Promise<void> {
    await this.#pendingWrite?.write([]);
    this.#pendingWrite = { db, write };
  }

  async open(db: Database): Promise<Statement[]> {
    await this.#pendingWrite?.write([]);
    this.#pendingWrite = undefined;
    this.#openDatabase = db;
    return this.#statements(db, { form: "open", answer: null });
  }

  /** Writes what was kept, with the key. A call that writes nothing else still stores its key. */
  async finish(answer: Message): Promise<void> {
    const { config, method } = this.#call;
    const stored = await storedAnswer(config, this.#key.key, method.output, answer);
    if (this.#openDatabase) await this.#close(this.#openDatabase, stored);
    else if (this.#pendingWrite)
      await this.#pendingWrite.write(this.#statements(this.#pendingWrite.db, stored));
    else await commit({ db: this.#db }, this.#statements(this.#db, stored));
  }

  /** Whether an equal call has taken effect since this one looked for it. */
  async isOvertaken(): Promise<boolean> {
    if (!this.#rows || this.#rows.length > 0) return false;
    const { databases, now } = this.#call;
    const among = this.#key.organization === "" ? databases : { all: [this.#db] };
    return (await rowsOfEach(among, (db) => selectKey(db, this.#key, now))).length > 0;
  }

  /** Stores the key, unless another call has stored it. A key that is over is replaced. */
  #statements(db: Database, stored: StoredAnswer): [Statement, Statement] {
    const { now } = this.#call;
    const row = { ...this.#key, ...stored, createTime: now };
    const { organization, caller, key, ...others } = row;
    const isOver = sql`${idempotencyKeys.createTime} <= ${now - keyLifetime} or (
      ${idempotencyKeys.form} = 'open' and ${idempotencyKeys.createTime} <= ${now - maxOpenTime})`;
    const insert = db
      .insert(idempotencyKeys)
      .values(row)
      .onConflictDoUpdate({
        target: [idempotencyKeys.organization, idempotencyKeys.caller, idempotencyKeys.key],
        set: others,
        setWhere: isOver,
      });
    return [insert, onlyIfChanged(db)];
  }

  async #close(db: Database, stored: StoredAnswer): Promise<void> {
    const { organization, caller, key } = this.#key;
    await db
      .update(idempotencyKeys)
      .set(stored)
      .where(
        and(
          eq(idempotencyKeys.organization, organization),
          eq(idempotencyKeys.caller, caller),
          eq(idempotencyKeys.key, key),
        ),
      );
  }
}
