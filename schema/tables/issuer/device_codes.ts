import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Programs on machines without a browser that wait for a person (RFC 8628). The key is the first letters of the code
 * that the person types, so the table has at most as many rows as there are such beginnings. A new request takes the row
 * of one that has expired. Times are in milliseconds since 1970 in UTC.
 */
export const deviceCodes = sqliteTable("device_codes", {
  slot: text("slot").primaryKey(),
  /** The whole code that the person types, without the hyphen. */
  userCode: text("user_code").notNull(),
  /** The random part of the code that the program has. */
  device: text("device").notNull(),
  /** The name that the program gave itself. */
  clientName: text("client_name").notNull(),
  scope: text("scope").notNull(),
  /** The organization that the program named. Empty if it named none. */
  idp: text("idp").notNull(),
  /** Where the request came from, in words. */
  place: text("place").notNull(),
  state: text("state").$type<"pending" | "approved" | "refused">().notNull(),
  /** The refresh token of the login, encrypted. Empty until a person has approved. */
  loginGrant: text("login_grant").notNull(),
  /** How often the code was typed. */
  entries: integer("entries").notNull(),
  /** The seconds that the program must wait between two questions. */
  pollInterval: integer("poll_interval").notNull(),
  pollTime: integer("poll_time").notNull(),
  expireTime: integer("expire_time").notNull(),
});

/** The requests of each network in a window of ten minutes, so that no one can try many codes. */
export const deviceNetworks = sqliteTable(
  "device_networks",
  {
    /** An IPv4 address, or the first 64 bits of an IPv6 address. */
    network: text("network").primaryKey(),
    /** The codes that programs of this network have requested. */
    starts: integer("starts").notNull(),
    /** The wrong codes that people of this network have typed. */
    guesses: integer("guesses").notNull(),
    expireTime: integer("expire_time").notNull(),
  },
  (t) => [index("device_networks_by_expiry").on(t.expireTime)],
);
