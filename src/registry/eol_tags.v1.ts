import { eq } from "drizzle-orm";
import { EolTagStatus } from "../../schema/gen/platform/registry/eol_tags_pb.js";
import { isDeprecated, TagClass, tags } from "../../schema/tables/tags.ts";
import type { Listing } from "../aip/listing.ts";
import { list } from "../auth/list.ts";
import { asV2 } from "../rpc/version1.ts";
import type { Part } from "./registry.v1.ts";
import { listing as allTags, type Row, tagsService } from "./tags.ts";

/** Walks the indexes of deprecated tags, which are by class and uid and by parent, class and uid. */
const listing: Listing<Row> = { ...allTags, isRanged: true };

export const eolTagsV1 = {
  async listEolTags(request, call) {
    const { uidp, name, pageToken, pageSize, excludeDates, excludeEpochs } = request;
    const partitions: number[] = [TagClass.plain, TagClass.referrer];
    if (!excludeDates) partitions.push(TagClass.date);
    if (!excludeEpochs) partitions.push(TagClass.epoch);
    const paging = { pageToken, pageSize: Number(pageSize) };
    const page = await asV2(
      tagsService,
      "listTags",
      { ...(uidp && { uidp }), name, ...paging },
      { ...call, dialect: {} },
      // By this call and not that of version 2, whose page tokens are for another list.
      () =>
        list(call, { ...request, ...paging, orderBy: "", skip: 0 }, listing, {
          partitions,
          filters: [isDeprecated, name === "" ? undefined : eq(tags.name, name)],
          lookup: name === "" ? "walk" : "scoped",
          isCounted: false,
        }),
    );
    const tagStatus = EolTagStatus.TAG_INACTIVE;
    return {
      items: page.rows.map((row) => ({ id: row.uid, name: row.name, tagStatus })),
      nextPageToken: page.envelope.nextPageToken,
    };
  },
} satisfies Part;
