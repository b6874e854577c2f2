/** The idempotency keys of the last 24 hours, and the answers that repeated calls get (src/idempotency). */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The form of a stored answer: protobuf in base64, the same in gzip, or encrypted because it contains a secret. The
 * other forms have no answer:
 *
 * | form | reason |
 * | --- | --- |
 * | `open` | it depends on the results of the write, and is stored after it |
 * | `large` | it is too large |
 * | `secret` | it contains a secret, and the Worker has no key to encrypt it |
 */
export type AnswerForm = "plain" | "gzip" | "sealed" | "open" | "large" | "secret";

/** A row is written in the batch of the call itself, so it is there exactly if the call has taken effect. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** The uid of the organization that the request names. Empty if it names none. */
    organization: text("organization_uid").notNull(),
    /** The uid of the identity in the caller's token, or of the person with its issuer and subject. */
    caller: text("caller_uid").notNull(),
    /** SHA-256 of the key, in hexadecimal. */
    key: text("key_digest").notNull(),
    /** The full name of the RPC. */
    method: text("method").notNull(),
    /** SHA-256 of the RPC and its request, in hexadecimal. */
    request: text("request_digest").notNull(),
    form: text("form").$type<AnswerForm>().notNull(),
    answer: text("answer"),
    /** Milliseconds since 1970 in UTC. */
    createTime: integer("create_time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.organization, t.caller, t.key] }),
    index("idempotency_keys_by_time").on(t.createTime),
  ],
);
