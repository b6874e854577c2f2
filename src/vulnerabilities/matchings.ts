/** How much matching is left to do. */
import { create } from "@bufbuild/protobuf";
import { type SQL, sql } from "drizzle-orm";
import {
  MatchingSchema,
  MatchingsService,
} from "../../schema/gen/platform/vulnerabilities/v2/matchings_pb.js";
import { groups } from "../../schema/tables/iam/groups.ts";
import { MARK, matchMarks } from "../../schema/tables/registry/match_marks.ts";
import { rootOf } from "../aip/uid_path.ts";
import { find, parentGroup } from "../resource/find.ts";
import { service } from "../rpc/service.ts";

/** The most marks of a kind that are counted. */
const maxCounted = 100_000;

/** SQL: the number of marks of a kind below a group. */
const countMarks = (group: string, kind: number): SQL<number> =>
  sql<number>`(select count(*) from (select 1 from ${matchMarks} as "mark" where "mark"."root" = ${rootOf(group)}
    and "mark"."kind" = ${kind} and "mark"."uid" > ${`${group}/`} and "mark"."uid" < ${`${group}0`} limit ${maxCounted}))`;

export const matchingsService = service(MatchingsService, {
  async getMatching({ uid }, call) {
    const counts = call.db
      .select({
        advisoriesLeft: countMarks(uid, MARK.advisory).as("advisories_left"),
        imagesLeft: countMarks(uid, MARK.image).as("images_left"),
      })
      .from(groups)
      .where(sql`${groups.uid} = ${uid}`);
    const { extraReads } = await find(call, parentGroup, uid, { extraReads: [counts] });
    return create(MatchingSchema, { uid, ...extraReads[0][0] });
  },
});
