import { EolTagStatus } from "../../../schema/gen/platform/registry/eol_tags_pb.js";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { isDeprecated } from "../../../schema/tables/registry/tags.ts";
import { list } from "../../paging/list.ts";
import { invokeV2 } from "../../rpc/version1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { isNamed, tagListing } from "./tag_rows.ts";
import { tagsService } from "./tags.ts";

export const eolTagsV1 = {
  async listEolTags(request, call) {
    const { uidp, name, pageToken, pageSize, excludeDates, excludeEpochs } = request;
    const classes: number[] = [TagClass.plain, TagClass.referrer];
    if (!excludeDates) classes.push(TagClass.date);
    if (!excludeEpochs) classes.push(TagClass.epoch);
    const paging = { pageToken, pageSize: Number(pageSize) };
    const page = await invokeV2(
      tagsService,
      "listTags",
      { ...(uidp && { uidp }), name, ...paging },
      { ...call, mapping: {} },
      // With this call and not that of version 2, whose page tokens belong to another list.
      () =>
        list(call, { ...request, ...paging, orderBy: "", skip: 0 }, tagListing, {
          classes,
          filters: [isDeprecated, name === "" ? undefined : isNamed(name)],
          index: name === "" ? "order_index" : "scope_index",
          total: "none",
        }),
    );
    const tagStatus = EolTagStatus.TAG_INACTIVE;
    return {
      items: page.rows.map((row) => ({ id: row.uid, name: row.name, tagStatus })),
      nextPageToken: page.envelope.nextPageToken,
    };
  },
} satisfies RegistryHandlers;
