import { create } from "@bufbuild/protobuf";
import { eq, sql } from "drizzle-orm";
import {
  DeleteRepoRequestSchema,
  RepoSchema,
} from "../../../schema/gen/platform/registry/repos_pb.js";
import type { Repo as RepoV2 } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos, sourceOfRepo } from "../../../schema/tables/registry/repos.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import { list } from "../../paging/list.ts";
import { bodyEvent, callV2, filterOf, invokeV2, requestEvent } from "../../rpc/version1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import {
  replacedFields,
  repoFieldNames,
  repoToV1,
  repoToV2,
  v1SyncOptions,
} from "./messages.v1.ts";
import { checkedReadme } from "./readmes.ts";
import { createRepo, filtersOf, repoListingWithReadmes, toRepo, updateRepo } from "./repos.ts";
import { reposService } from "./repos_service.ts";

/** The event contains the readme too. */
const toEventV1 = (readme: string) =>
  bodyEvent(RepoSchema, (repo: RepoV2) => repoToV1(repo, readme));

export const reposV1 = {
  /**
   * Replaces the repository with that name, unless the request forbids it. The event is the same in both
   * cases.
   */
  async createRepo({ parentId: parent, repo = create(RepoSchema), preventExisting }, call) {
    const { readme } = repo;
    const options = {
      readme: checkedReadme(readme),
      sync: v1SyncOptions(repo),
      ...(preventExisting ? {} : { replaces: replacedFields(repo) }),
    };
    const mapping = { names: { ...repoFieldNames, parent: "parent_id" }, event: toEventV1(readme) };
    const made = await invokeV2(
      reposService,
      "createRepo",
      { parent, repo: repoToV2(repo) },
      { ...call, mapping },
      (request, inV2) => createRepo(request, inV2, options),
    );
    return repoToV1(made, readme);
  },

  async updateRepo(repo, call) {
    const { readme } = repo;
    const changed = await invokeV2(
      reposService,
      "updateRepo",
      { repo: repoToV2(repo), updateMask: { paths: replacedFields(repo) } },
      { ...call, mapping: { names: repoFieldNames, event: toEventV1(readme) } },
      (request, inV2) =>
        updateRepo(request, inV2, { readme: checkedReadme(readme), sync: v1SyncOptions(repo) }),
    );
    return repoToV1(changed, readme);
  },

  async listRepos({ id, uidp, name }, call) {
    const { keeps, names, ...filter } = filterOf(id, uidp);
    const { rows } = await invokeV2(
      reposService,
      "listRepos",
      { ...filter, ...(name === "" ? {} : { name }) },
      { ...call, unpaged: true, mapping: { names } },
      (request, inV2) => list(inV2, request, repoListingWithReadmes, filtersOf(request)),
    );
    return {
      items: rows.filter(({ uid }) => keeps(uid)).map((row) => repoToV1(toRepo(row), row.readme)),
    };
  },

  /** Covers all organizations: the number of copies does not reveal who made them. */
  getRepoCountBySource: ({ id: uid }, call) =>
    invokeV2(reposService, "getRepo", { uid }, { ...call, mapping: {} }, async (request, inV2) => {
      const copies = inV2.db
        .select({ count: sql<number>`count(*)` })
        .from(repos)
        // The index covers only repositories with sync settings, and the planner needs that condition to use
        // it.
        .where(sql`${eq(sourceOfRepo, request.uid)} and ${repos.syncConfig} is not null`);
      const { rows } = await authorizeAndRead(inV2, request.uid, [copies]);
      return { count: BigInt(rows[0][0]?.count ?? 0) };
    }),

  deleteRepo: (request, call) =>
    callV2(reposService, "deleteRepo", { uid: request.id }, call, {
      event: requestEvent(DeleteRepoRequestSchema, request),
    }),
} satisfies RegistryHandlers;
