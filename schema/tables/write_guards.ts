import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "./triggers.ts";

/**
 * Always empty. A trigger refuses every row and so undoes the whole batch, with the reason in the row as its error. The
 * guards of a batch (src/outbox/commit.ts, src/rpc/location_check.ts) insert a row here if their condition does not hold.
 */
export const writeGuards = sqliteTable("write_guards", { reason: text("reason").notNull() });

/** The reason of a guard if a row has changed since it was read. The reasons of triggers that see that begin with it. */
export const STALE_WRITE = "stale write";

export const triggers = () => [
  ...trigger(writeGuards, "refuse", { on: "BEFORE INSERT" }, "SELECT RAISE(ABORT, NEW.reason);"),
];
