/** Readmes of repositories. They are columns of the repository, but have their own message and two RPCs. */

import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ReadmesService } from "../../../schema/gen/platform/registry/readmes/v2/readmes_pb.js";
import {
  type RepoReadme,
  RepoReadmeSchema,
  RepoReadmeView,
  type ReposService,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { validate } from "../../aip/validation.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { find, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { type Handlers, service } from "../../rpc/service.ts";
import { parentRepo } from "./parent_repo.ts";
import { safeReadmeHtml } from "./readme_html.ts";
import type { NewReadme } from "./repos.ts";

function toReadme(row: Stored<typeof repos>): RepoReadme {
  return wholeMessage(RepoReadmeSchema, {
    uid: row.uid,
    content: row.readme,
    html: "",
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.readmeUpdateTime || row.createTime),
  });
}

const repoReadme = resource({
  type: "registry/Repo",
  schema: RepoReadmeSchema,
  table: repos,
  select: selectRow(repos),
  toMessage: toReadme,
  toColumns: ({ content }: RepoReadme) => ({ readme: content }),
  otherFields: { content: "readme", html: "computed" },
  groupOf: parentOf,
  imageOf: (uid) => ({ repo: uid }),
});

/**
 * A readme that version 1 writes with its repository, and the check of its rules. Violations name `content`, the field
 * of version 2.
 */
export const checkedReadme = (content: string | undefined): NewReadme | undefined =>
  content === undefined
    ? undefined
    : {
        content,
        async check() {
          validate(RepoReadmeSchema, create(RepoReadmeSchema, { content }));
          await safeReadmeHtml(content);
        },
      };

/** The HTML of a stored readme. Empty if it breaks a rule that is newer than the readme. */
async function storedReadmeHtml(content: string): Promise<string> {
  try {
    return await safeReadmeHtml(content);
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.InvalidArgument) return "";
    throw error;
  }
}

/** The handlers of ReposService for readmes. */
export const readmeHandlers: Pick<
  Handlers<typeof ReposService>,
  "getRepoReadme" | "updateRepoReadme"
> = {
  async getRepoReadme({ uid, view }, call) {
    const readme = toReadme((await find(call, repoReadme, uid)).row);
    if (view === RepoReadmeView.FULL) readme.html = await storedReadmeHtml(readme.content);
    return readme;
  },

  async updateRepoReadme({ repoReadme: readme = create(RepoReadmeSchema), updateMask }, call) {
    const { caller, row } = await find(call, repoReadme, readme.uid);
    const update = maskedUpdate(call, repoReadme, row, readme, updateMask);
    await safeReadmeHtml(update.after.content);
    const columns = { readmeUpdateTime: update.updateTime };
    return writeUpdate(call, repoReadme, caller, update, { columns });
  },
};

export const readmesService = service(ReadmesService, {
  /** The access is checked first, because rendering takes work. */
  async renderReadme({ repoUid, content }, call) {
    await find(call, parentRepo, repoUid);
    return { html: await safeReadmeHtml(content) };
  },
});
