/** The stored events of an organization, and the lists of them. */

import { below } from "../world/uids.ts";
import { type CostCase, pageSize } from "./case.ts";
import {
  type CostOrganization,
  organizationOf,
  type Row,
  rowsPerResource,
  startTime,
} from "./rows.ts";

/** Events of the team, of which every second one is about a repository. */
export const eventRows = ({ team }: CostOrganization): Row[] =>
  Array.from({ length: rowsPerResource }, (_, at) => ({
    uid: below(team, `event-${at}`),
    id: `event-${at}`,
    type: `dev.vendor.api.${at % 2 === 0 ? "platform.registry.repos" : "platform.iam.groups"}.created.v1`,
    source: "https://localhost/registry/v2/repos",
    subject: team,
    group_uid: team,
    audience: "customer",
    extensions: {},
    body_type: "",
    data: { actor: {} },
    time: startTime + at,
  }));

const { root } = organizationOf("5");

const filters: Record<string, Record<string, string>> = {
  "newest first": {},
  "oldest first": { order_by: "create_time" },
  "of a type": { types: "api.platform.iam.groups.created.v1" },
  "of the beginning of a type": { types: "api.platform.iam.*" },
  "of no type": { types: "api.platform.iam.roles.*" },
};

export const eventLists: CostCase[] = Object.entries(filters).map(([name, query]) => ({
  name: `ListEvents ${name}`,
  kind: "List under a scope",
  path: `/events/v2/events?${new URLSearchParams({ "uidp.descendants_of": root, page_size: String(pageSize), ...query })}`,
  ...(name === "of no type" ? { examines: "the index of the time has no types" } : {}),
}));
