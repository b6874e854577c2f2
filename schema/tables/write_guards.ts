import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { refuse } from "./triggers.ts";

/**
 * Always empty. A trigger refuses every row and so undoes the whole batch. The guards of a batch
 * (src/outbox/commit.ts) insert a row here if their condition does not hold.
 */
export const writeGuards = sqliteTable("write_guards", { reason: text("reason").notNull() });

export const triggers = () => [
  ...refuse(writeGuards, "refuse", { on: "BEFORE INSERT" }, "stale write"),
];
