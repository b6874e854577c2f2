import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  ExpireRuleSchema,
  KeepRuleSchema,
  ServeRuleSchema,
  type TagRule,
  TagRuleSchema,
  TagRulesService,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { permissionDenied } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { checkTag } from "./check.ts";
import { previewTagRule } from "./preview.ts";
import { checkRule, requireSame, ruleScope, selectAround } from "./rule_checks.ts";
import { toKind } from "./stored_rules.ts";

type Row = Stored<typeof tagRules>;

const listing = defineListing({ table: tagRules });

function kindOf(row: Row): TagRule["kind"] {
  const { keep, serve, expire } = toKind(row);
  if (serve) return { case: "serve", value: serve };
  if (expire) return { case: "expire", value: expire };
  return keep ? { case: "keep", value: keep } : { case: undefined };
}

function toTagRule(row: Row): TagRule {
  return wholeMessage(TagRuleSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    includeRepos: row.includeRepos,
    excludeRepos: row.excludeRepos,
    includeTags: row.includeTags,
    excludeTags: row.excludeTags,
    kind: kindOf(row),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const tagRule = resource({
  type: "registry/TagRule",
  schema: TagRuleSchema,
  table: tagRules,
  select: selectRow(tagRules),
  toMessage: toTagRule,
  toColumns: (rule: TagRule) => ({
    name: rule.name,
    description: rule.description,
    includeRepos: rule.includeRepos,
    excludeRepos: rule.excludeRepos,
    includeTags: rule.includeTags,
    excludeTags: rule.excludeTags,
    keep: rule.kind.case === "keep" ? toJson(KeepRuleSchema, rule.kind.value) : null,
    serve: rule.kind.case === "serve" ? toJson(ServeRuleSchema, rule.kind.value) : null,
    expire: rule.kind.case === "expire" ? toJson(ExpireRuleSchema, rule.kind.value) : null,
  }),
  otherFields: { kind: "keep" },
  groupOf: parentOf,
  unique: ({ name }) => name,
});

/** The capabilities to delete what a rule of the kind expire can delete. The schedule carries out its plans for no one. */
const deleting = [Capability.CAP_TAG_DELETE, Capability.CAP_MANIFEST_DELETE];

/** Throws PERMISSION_DENIED for a rule of the kind expire of someone who may not delete what it lets expire. */
function requireDeletion(caller: Caller, parent: string, { kind }: TagRule): void {
  if (kind.case !== "expire" || holds(caller, deleting, parent)) return;
  throw permissionDenied(
    "a rule of the kind expire also needs the capabilities tag.delete and manifest.delete",
  );
}

export const tagRulesService = service(TagRulesService, {
  checkTag,
  previewTagRule,

  async getTagRule({ uid }, call) {
    return toTagRule((await find(call, tagRule, uid)).row);
  },

  async listTagRules(request, call) {
    const named = request.name === "" ? undefined : eq(tagRules.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { tagRules: page.rows.map(toTagRule), ...page.envelope };
  },

  async createTagRule({ parent, tagRule: sent }, call) {
    const rule = newMessage(tagRule, sent);
    const { caller, extraReads } = await find(call, ruleScope, parent, {
      extraReads: selectAround(call.db, parent, rule),
    });
    checkRule(rule, extraReads);
    requireDeletion(caller, parent, rule);
    requireSame(call, parent, extraReads);
    return writeCreate(call, tagRule, caller, rule, { parent });
  },

  async updateTagRule({ tagRule: sent = create(TagRuleSchema), updateMask }, call) {
    const parent = parentOf(sent.uid);
    const { caller, row, extraReads } = await find(call, tagRule, sent.uid, {
      extraReads: selectAround(call.db, parent, sent),
    });
    const update = maskedUpdate(call, tagRule, row, sent, updateMask);
    checkRule(update.after, extraReads);
    requireDeletion(caller, parent, update.after);
    requireSame(call, parent, extraReads);
    return writeUpdate(call, tagRule, caller, update);
  },

  async deleteTagRule(request, call) {
    const { caller } = await find(call, tagRule, request.uid);
    return writeDelete(call, tagRule, caller, request);
  },
});
