/** One real change for every RPC that changes quotas. The caller of contract tests has the role of the operator. */
import { sql } from "../../world/platform.ts";
import type { ChangeContext, OwnChange } from "./change.ts";

/** Gives the quota a limit, so that the call changes it. */
const setLimit = (organization: string, kind: string, limit: number) =>
  sql(
    "insert or replace into quotas (organization, kind, quota_limit) values (?, ?, ?)",
    organization,
    kind,
    limit,
  );

const common: OwnChange = { group: "self", body: ({ answer }: ChangeContext) => answer };

export const quotaChanges: Record<string, OwnChange> = {
  "QuotasService/UpdateQuota": {
    ...common,
    async prepare({ organization: { uid } }) {
      await setLimit(uid, "subscriptions", 500);
      const request = { parent: uid, kind: "QUOTA_KIND_SUBSCRIPTIONS", limit: "1500" };
      const rows = () => sql("select * from quotas where organization = ?", uid);
      return { request, subject: uid, rows };
    },
    async idle({ organization: { uid } }) {
      await setLimit(uid, "roles", 777);
      return { parent: uid, kind: "QUOTA_KIND_ROLES", limit: "777" };
    },
  },
  "QuotasService/UpdateDefaultQuota": {
    ...common,
    async prepare({ organization: { uid } }) {
      await setLimit("", "scim_groups", 5_000_000);
      return {
        request: { parent: uid, kind: "QUOTA_KIND_SCIM_GROUPS", limit: "5000001" },
        subject: uid,
        rows: () => sql("select * from quotas where organization = '' and kind = 'scim_groups'"),
      };
    },
    async idle({ organization: { uid } }) {
      // Other tests create roles meanwhile.
      await setLimit("", "roles", 777_000);
      return { parent: uid, kind: "QUOTA_KIND_ROLES", limit: "777000" };
    },
  },
};
