/** Readmes of repositories. They are columns of the repository, but have their own message and two RPCs. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import {
  type RepoReadme,
  RepoReadmeSchema,
  type ReposService,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { validate } from "../../aip/validation.ts";
import { find } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import type { Handlers } from "../../rpc/service.ts";
import { checkReadme } from "./readme_html.ts";

function toReadme(row: typeof repos.$inferSelect): RepoReadme {
  return create(RepoReadmeSchema, {
    uid: row.uid,
    content: row.readme,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.readmeUpdateTime || row.createTime),
  });
}

const repoReadme = resource({
  type: "registry/Repo",
  schema: RepoReadmeSchema,
  table: repos,
  select: (db, uid) => db.select().from(repos).where(eq(repos.uid, uid)),
  toMessage: toReadme,
  toColumns: ({ content }) => ({ readme: content }),
  groupOf: parentOf,
  imageOf: (uid) => ({ repo: uid }),
});

/**
 * The rules of a readme that version 1 writes with its repository. Violations name `content`, the field of
 * version 2.
 */
export async function checkContent(readme: string | undefined): Promise<void> {
  if (readme === undefined) return;
  validate(RepoReadmeSchema, create(RepoReadmeSchema, { content: readme }));
  await checkReadme(readme);
}

/** The columns of a readme that replaces another one at that time. */
export const readmeColumns = (readme: string | undefined, before: string, time: number) =>
  readme === undefined || readme === before ? {} : { readme, readmeUpdateTime: time };

/** The handlers of ReposService for readmes. */
export const readmeHandlers: Pick<
  Handlers<typeof ReposService>,
  "getRepoReadme" | "updateRepoReadme"
> = {
  async getRepoReadme({ uid }, call) {
    return toReadme((await find(call, repoReadme, uid)).row);
  },

  async updateRepoReadme({ repoReadme: given = create(RepoReadmeSchema), updateMask }, call) {
    const { caller, row } = await find(call, repoReadme, given.uid);
    const update = maskedUpdate(call, repoReadme, row, given, updateMask);
    await checkReadme(update.after.content);
    const columns = { readmeUpdateTime: update.updateTime };
    return writeUpdate(call, repoReadme, caller, update, { columns });
  },
};
