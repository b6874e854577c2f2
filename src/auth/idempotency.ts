import type { Message } from "@bufbuild/protobuf";
import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "./databases.ts";

type Statement = BatchItem<"sqlite">;

/**
 * A call of version 2 with an idempotency key, as handlers and writes see it (src/idempotency/attempt.ts). Its write
 * waits until the handler has returned its answer, because the same batch stores that answer.
 */
export interface Idempotency {
  /**
   * The statement, for the batch that reads the caller's access, that reads what an earlier call with the key has left.
   * There is none if that was read before. Pass its rows to `takeRows`.
   */
  lookup(db: Database): Statement[];
  takeRows(rows: unknown[] | undefined): void;
  /**
   * Ends the call with the answer of an earlier call, if there is one. A handler calls it when it knows that the caller
   * may make the call now. `check` throws if the caller may not see that answer.
   */
  replay<Answer extends Message>(check?: (answer: Answer) => Promise<void> | void): Promise<void>;
  /** Keeps a write, which runs at the end of the call. An earlier write that was kept runs now, without the key. */
  hold(db: Database, write: (key: Statement[]) => Promise<unknown>): Promise<void>;
  /** The statements that begin a write whose results decide about the answer. The answer is stored after it. */
  open(db: Database): Promise<Statement[]>;
}
