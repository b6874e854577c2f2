import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import { RepoReadmeSchema, ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { manifests } from "../../schema/tables/manifests.ts";
import { repos } from "../../schema/tables/repos.ts";
import { sboms } from "../../schema/tables/sboms.ts";
import { tags } from "../../schema/tables/tags.ts";
import { vulnReports } from "../../schema/tables/vuln_reports.ts";
import { notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { commitIfChanged, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { service } from "../rpc/service.ts";
import { checkReadme } from "./readme_html.ts";
import { filtersOf, listing, selectRepo, toReadme, toRepo } from "./repo_rows.ts";
import { createRepo, updateRepo } from "./repo_writes.ts";

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorizeAndRead(call, uid, [selectRepo(call.db, uid)]);
  const [row] = rows[0];
  if (!row) throw notFound("registry/Repo", uid);
  return { caller, row };
}

export const reposService = service(ReposService, {
  async getRepo({ uid }, call) {
    return toRepo((await find(call, uid)).row);
  },

  async listRepos(request, call) {
    const page = await list(call, request, listing, filtersOf(request));
    return { repos: page.rows.map(toRepo), ...page.envelope };
  },

  createRepo: (request, call) => createRepo(request, call),
  updateRepo: (request, call) => updateRepo(request, call),

  /** Takes along all that stands in the repo but the history of its tags, which stays. */
  async deleteRepo(request, call) {
    const { caller, row } = await find(call, request.uid);
    await commitIfChanged(call, [
      call.db.delete(repos).where(eq(repos.uid, row.uid)),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
      call.db.delete(tags).where(eq(tags.parent, row.uid)),
      call.db.delete(manifests).where(eq(manifests.parent, row.uid)),
      call.db.delete(sboms).where(eq(sboms.parent, row.uid)),
      call.db.delete(vulnReports).where(eq(vulnReports.parent, row.uid)),
    ]);
    return {};
  },

  async getRepoReadme({ uid }, call) {
    return toReadme((await find(call, uid)).row);
  },

  async updateRepoReadme({ repoReadme: change, updateMask }, call) {
    const given = change ?? create(RepoReadmeSchema);
    const { caller, row } = await find(call, given.uid);
    const before = toReadme(row);
    const readme = applyMask(RepoReadmeSchema, before, given, updateMask);
    validate(RepoReadmeSchema, readme);
    await checkReadme(readme.content);
    if (changesNothing(RepoReadmeSchema, before, readme)) return before;
    const updateTime = nextTime(call, row.updateTime);
    readme.updateTime = timestampFromMs(updateTime);
    await commitIfChanged(call, [
      call.db
        .update(repos)
        .set({ readme: readme.content, readmeUpdateTime: updateTime, updateTime })
        .where(and(eq(repos.uid, row.uid), eq(repos.updateTime, row.updateTime))),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: RepoReadmeSchema, message: readme },
      }),
    ]);
    return readme;
  },
});
