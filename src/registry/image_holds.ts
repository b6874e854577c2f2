import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { count, eq, sql } from "drizzle-orm";
import {
  type ImageHold,
  ImageHoldSchema,
  ImageHoldsService,
} from "../../schema/gen/platform/registry/v2/image_holds_pb.js";
import { imageHolds } from "../../schema/tables/registry/image_holds.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { failedPrecondition } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import { wholeMessage } from "../aip/whole_message.ts";
import type { Call, Database } from "../auth/call.ts";
import { onlyIf } from "../outbox/commit.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { newMessage, writeCreate } from "../resource/create.ts";
import { writeDelete } from "../resource/delete.ts";
import { find, selectRow } from "../resource/find.ts";
import { resource } from "../resource/resource.ts";
import type { Stored } from "../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../resource/update.ts";
import { service } from "../rpc/service.ts";
import { parentRepo } from "./repos/parent_repo.ts";

/** The holds of one repository. An expiry plan reads all of them, and the deletion of a repository deletes them at once. */
const maxHolds = 100;

const listing = defineListing({ table: imageHolds, leafOf: repos });

function toImageHold(row: Stored<typeof imageHolds>): ImageHold {
  return wholeMessage(ImageHoldSchema, {
    uid: row.uid,
    name: row.name,
    digests: row.digests,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const imageHold = resource({
  type: "registry/ImageHold",
  schema: ImageHoldSchema,
  table: imageHolds,
  select: selectRow(imageHolds),
  toMessage: toImageHold,
  toColumns: ({ name, digests }: ImageHold) => ({ name, digests }),
  groupOf: (uid) => parentOf(parentOf(uid)),
  imageOf: (uid) => ({ repo: parentOf(uid) }),
  unique: ({ name }) => name,
});

const selectCount = (db: Database, repo: string) =>
  db
    .select({ holds: count().as("holds") })
    .from(imageHolds)
    .where(eq(imageHolds.parent, repo));

/** Throws FAILED_PRECONDITION if the repository has all the holds that it can have, and undoes the change if it has then. */
function requireRoom({ db, guards }: Call, repo: string, [read]: { holds: number }[]): void {
  if (read && read.holds >= maxHolds)
    throw failedPrecondition(
      "TOO_MANY_HOLDS",
      `the repository already has ${maxHolds} image holds`,
    );
  guards.set("image holds", () => onlyIf(db, sql`(${selectCount(db, repo)}) < ${maxHolds}`));
}

export const imageHoldsService = service(ImageHoldsService, {
  async getImageHold({ uid }, call) {
    return toImageHold((await find(call, imageHold, uid)).row);
  },

  async listImageHolds(request, call) {
    const named = request.name === "" ? undefined : eq(imageHolds.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { imageHolds: page.rows.map(toImageHold), ...page.envelope };
  },

  async createImageHold({ parent, imageHold: sent }, call) {
    const { caller, extraReads } = await find(call, parentRepo, parent, {
      extraReads: [selectCount(call.db, parent)],
    });
    requireRoom(call, parent, extraReads[0]);
    return writeCreate(call, imageHold, caller, newMessage(imageHold, sent), { parent });
  },

  async updateImageHold({ imageHold: sent = create(ImageHoldSchema), updateMask }, call) {
    const { caller, row } = await find(call, imageHold, sent.uid);
    const update = maskedUpdate(call, imageHold, row, sent, updateMask);
    return writeUpdate(call, imageHold, caller, update);
  },

  async deleteImageHold(request, call) {
    const { caller } = await find(call, imageHold, request.uid);
    return writeDelete(call, imageHold, caller, request);
  },
});
