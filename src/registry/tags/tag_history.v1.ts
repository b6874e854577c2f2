import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, asc, eq, gte, lte, ne } from "drizzle-orm";
import { hasUid } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import { maxUnpagedRows } from "../../paging/page.ts";
import { invokeV2 } from "../../rpc/version1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { tagsService } from "./tags.ts";

export const tagHistoryV1 = {
  /** The history of the tag's name in its repository, oldest first. */
  async listTagHistory({ parentId: uid, start, end }, call) {
    if (start && end && timestampMs(start) > timestampMs(end)) {
      throw invalidArgument("start", "start must not be after end");
    }
    const names = { uid: "parent_id" };
    const moves = await invokeV2(
      tagsService,
      "getTag",
      { uid },
      { ...call, mapping: { names } },
      async (_, inV2) => {
        const { db } = inV2;
        const name = db
          .select({ name: tags.name })
          .from(tags)
          .where(and(hasUid(tags, uid), isPresent(tags.parent)));
        const records = db
          .select({ updateTime: tagMoves.updateTime, digest: tagMoves.digest })
          .from(tagMoves)
          .where(
            and(
              eq(tagMoves.repoUid, parentOf(uid)),
              eq(tagMoves.tag, name),
              start && gte(tagMoves.updateTime, timestampMs(start)),
              end && lte(tagMoves.updateTime, timestampMs(end)),
              ne(tagMoves.digest, ""),
            ),
          )
          .orderBy(asc(tagMoves.updateTime))
          .limit(maxUnpagedRows + 1);
        return (await authorizeAndRead(inV2, uid, [records])).rows[0];
      },
    );
    if (moves.length > maxUnpagedRows) {
      throw resourceExhausted(
        `more than ${maxUnpagedRows} records match; request a shorter time with start and end`,
      );
    }
    return {
      items: moves.map(({ updateTime, digest }) => ({
        updateTimestamp: timestampFromMs(updateTime),
        digest,
      })),
    };
  },
} satisfies RegistryHandlers;
