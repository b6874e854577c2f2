import { create } from "@bufbuild/protobuf";
import { eq, sql } from "drizzle-orm";
import {
  DeleteRepoRequestSchema,
  RepoSchema,
} from "../../schema/gen/platform/registry/repos_pb.js";
import type { Repo as RepoV2 } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos, sourceOfRepo } from "../../schema/tables/repos.ts";
import { authorized } from "../auth/access.ts";
import type { Happening } from "../auth/call.ts";
import { list } from "../paging/list.ts";
import { asV2, callV2, filterOf, tellsRequest } from "../rpc/version1.ts";
import type { Part } from "./registry_methods.v1.ts";
import { replacedBy, repoNames, syncBeyond, toV1, toV2 } from "./repo_messages.v1.ts";
import { filtersOf, listingWithReadmes, toRepo } from "./repo_rows.ts";
import { createRepo, updateRepo } from "./repo_writes.ts";
import { reposService } from "./repos.ts";

/** The event tells the readme too. */
const told = (readme: string) => (happening: Happening) => ({
  ...happening,
  body: { desc: RepoSchema, message: toV1(happening.body?.message as RepoV2, readme) },
});

export const reposV1 = {
  /** Replaces the repo of that name, unless that is to be refused. The same event either way. */
  async createRepo({ parentId: parent, repo = create(RepoSchema), preventExisting }, call) {
    const { readme } = repo;
    const beyond = {
      readme,
      sync: syncBeyond(repo),
      ...(preventExisting ? {} : { replaces: replacedBy(repo) }),
    };
    const dialect = { names: { ...repoNames, parent: "parent_id" }, event: told(readme) };
    const made = await asV2(
      reposService,
      "createRepo",
      { parent, repo: toV2(repo) },
      { ...call, dialect },
      (request, inV2) => createRepo(request, inV2, beyond),
    );
    return toV1(made, readme);
  },

  async updateRepo(repo, call) {
    const { readme } = repo;
    const changed = await asV2(
      reposService,
      "updateRepo",
      { repo: toV2(repo), updateMask: { paths: replacedBy(repo) } },
      { ...call, dialect: { names: repoNames, event: told(readme) } },
      (request, inV2) => updateRepo(request, inV2, { readme, sync: syncBeyond(repo) }),
    );
    return toV1(changed, readme);
  },

  async listRepos({ id, uidp, name }, call) {
    const { keeps, names, ...filter } = filterOf(id, uidp);
    const { rows } = await asV2(
      reposService,
      "listRepos",
      { ...filter, ...(name === "" ? {} : { name }) },
      { ...call, unpaged: true, dialect: { names } },
      (request, inV2) => list(inV2, request, listingWithReadmes, filtersOf(request)),
    );
    return {
      items: rows.filter(({ uid }) => keeps(uid)).map((row) => toV1(toRepo(row), row.readme)),
    };
  },

  /** Of all organizations: how many copy a repo tells nothing of who they are. */
  getRepoCountBySource: ({ id: uid }, call) =>
    asV2(reposService, "getRepo", { uid }, { ...call, dialect: {} }, async (request, inV2) => {
      const copies = inV2.db
        .select({ count: sql<number>`count(*)` })
        .from(repos)
        // The index is of repos with sync settings only, and the planner wants to be told that.
        .where(sql`${eq(sourceOfRepo, request.uid)} and ${repos.syncConfig} is not null`);
      const { rows } = await authorized(inV2, request.uid, [copies]);
      return { count: BigInt(rows[0][0]?.count ?? 0) };
    }),

  deleteRepo: (request, call) =>
    callV2(reposService, "deleteRepo", { uid: request.id }, call, {
      event: tellsRequest(DeleteRepoRequestSchema, request),
    }),
} satisfies Part;
