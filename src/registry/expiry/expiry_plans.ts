import { create } from "@bufbuild/protobuf";
import { eq } from "drizzle-orm";
import {
  ExpiryPlanSchema,
  ExpiryPlanState,
  ExpiryPlansService,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { expiryItems, expiryPlans } from "../../../schema/tables/registry/expiry_plans.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { commit } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { defaultPageSize, openCursor, tokenAfter } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import { newMessage } from "../../resource/create.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { carryOut, wrongState } from "./carry_out.ts";
import { makePlan } from "./make_plan.ts";
import { changePlan, expiryPlan, selectItems, toItem, toPlan } from "./stored_plans.ts";
import { undo } from "./undo.ts";

const listing = defineListing({
  table: expiryPlans,
  orders: { create_time: "createTime", uid: "uid" },
  defaultOrder: "create_time desc",
  leafOf: repos,
});

export const expiryPlansService = service(ExpiryPlansService, {
  async getExpiryPlan({ uid }, call) {
    return toPlan((await find(call, expiryPlan, uid)).row);
  },

  async listExpiryPlans(request, call) {
    const page = await list(call, request, listing, {});
    return { expiryPlans: page.rows.map(toPlan), ...page.envelope };
  },

  async listExpiryPlanItems(request, call) {
    const { planUid, outcome } = request;
    const size = request.pageSize || defaultPageSize;
    const digest = await digestOf(call, request, "");
    const cursor = await openCursor(call, request.pageToken, digest);
    const after = Number(cursor?.after[0] ?? -1);
    const condition = outcome === 0 ? undefined : eq(expiryItems.outcome, outcome);
    const { row, extraReads } = await find(call, expiryPlan, planUid, {
      extraReads: [selectItems(call.db, planUid, { after, limit: size + 1, condition })],
    });
    const [all] = extraReads;
    const shown = all.slice(0, size);
    const last = all.length > size ? shown.at(-1) : undefined;
    return {
      items: shown.map((item) => toItem(item, row.rules)),
      nextPageToken: await tokenAfter(call, digest, last && [last.number, ""]),
    };
  },

  async createExpiryPlan({ parent, expiryPlan: sent }, call) {
    const { caller } = await find(call, parentRepo, parent);
    const { description } = newMessage(expiryPlan, sent ?? create(ExpiryPlanSchema));
    return makePlan(call, caller, { repo: parent, description, daily: false });
  },

  async approveExpiryPlan({ uid }, call) {
    const { caller, row } = await find(call, expiryPlan, uid);
    if (row.state !== ExpiryPlanState.AWAITING_APPROVAL) throw wrongState(row);
    if (row.creatorUid === caller.identity) {
      const text = "you made the plan, so another person must approve it";
      throw failedPrecondition("OWN_PLAN", text, uid);
    }
    const { row: approved, statements } = changePlan(call, caller, row, {
      state: ExpiryPlanState.READY,
      approverUid: caller.identity,
      approver: caller.name,
      approveTime: call.now,
    });
    await commit(call, statements);
    return toPlan(approved);
  },

  async carryOutExpiryPlan({ uid }, call) {
    const { caller, row } = await find(call, expiryPlan, uid);
    return carryOut(call, caller, row);
  },

  async cancelExpiryPlan({ uid }, call) {
    const { caller, row } = await find(call, expiryPlan, uid);
    if (row.state >= ExpiryPlanState.DONE) throw wrongState(row);
    const changes = { state: ExpiryPlanState.CANCELED, endTime: call.now };
    const { row: canceled, statements } = changePlan(call, caller, row, changes);
    await commit(call, statements);
    return toPlan(canceled);
  },

  async undoExpiryPlan({ uid }, call) {
    const { caller, row } = await find(call, expiryPlan, uid);
    return undo(call, caller, row);
  },
});
