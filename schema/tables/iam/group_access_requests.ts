import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { groups } from "./groups.ts";

/** The last access request of each person to an organization. The next request has to wait. */
export const groupAccessRequests = sqliteTable(
  "group_access_requests",
  {
    groupUid: text("group_uid").notNull(),
    identityUid: text("identity_uid").notNull(),
    /** Milliseconds since 1970 in UTC. */
    time: integer("time").notNull(),
  },
  (t) => [primaryKey({ columns: [t.groupUid, t.identityUid] })],
);

export const triggers = () => [...requireRow(groupAccessRequests.groupUid, groups, "group")];
