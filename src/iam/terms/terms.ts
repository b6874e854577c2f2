import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { sql } from "drizzle-orm";
import {
  AcceptTermsResponseSchema,
  type TermsAcceptance,
  TermsAcceptanceSchema,
  TermsService,
} from "../../../schema/gen/platform/iam/v2/terms_pb.js";
import { termsAcceptances } from "../../../schema/tables/iam/terms_acceptances.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { invalidArguments, notFound } from "../../aip/errors.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { quoted } from "../../aip/quoted.ts";
import { ancestry, newUid, parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call } from "../../auth/call.ts";
import { isTermsDocument } from "../../auth/terms.ts";
import { commit } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { listAt } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";

type Row = RowOf<typeof termsAcceptances>;

const listing = defineListing({
  table: termsAcceptances,
  orders: { uid: "uid", doc_id: "docId", ...times },
});

const toAcceptance = (row: Row): TermsAcceptance =>
  wholeMessage(TermsAcceptanceSchema, {
    uid: row.uid,
    docId: row.docId,
    acceptedBy: row.acceptedBy,
    orgUid: parentOf(row.uid),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

/** Throws INVALID_ARGUMENT for each id without a document. */
function checkDocuments(call: Call, ids: string[]): void {
  const violations = ids.flatMap((id, index) => {
    if (isTermsDocument(call.config, id)) return [];
    const field = `document_ids[${index}]`;
    return [
      { field, description: `${field} must be the id of a terms document; you sent ${quoted(id)}` },
    ];
  });
  if (violations.length > 0) throw invalidArguments(violations);
}

/** The statement that writes the new acceptances. A document keeps its first acceptance. */
function insertAcceptances(call: Call, group: string, acceptedBy: string, documents: string[]) {
  const rows = documents.map((docId) => ({ uid: newUid(group), docId }));
  const row = {
    uid: sql`value ->> 'uid'`,
    docId: sql`value ->> 'docId'`,
    acceptedBy,
    createTime: call.now,
    updateTime: call.now,
  };
  const source = sql`from json_each(${JSON.stringify(rows)}) where true`;
  const target = [termsAcceptances.parent, termsAcceptances.docId];
  return insertFrom(call.db, termsAcceptances, row, source).onConflictDoNothing({ target });
}

export const termsService = service(TermsService, {
  async acceptTerms({ group, documentIds }, call) {
    const { caller } = await find(call, parentGroup, group);
    checkDocuments(call, documentIds);
    const documents = [...new Set(documentIds)];
    const response = create(AcceptTermsResponseSchema, { group, documentIds: documents });
    await commit(call, [
      insertAcceptances(call, group, caller.identity, documents),
      insertEventIfChanged(call, caller, {
        subject: group,
        group,
        body: { desc: AcceptTermsResponseSchema, message: response },
      }),
    ]);
    return response;
  },

  async listTermsAcceptances(request, call) {
    const { group } = request;
    const scope = { at: "childrenOfAny", uids: ancestry(group) } as const;
    const page = await listAt(call, request, listing, scope, {
      holder: group,
      exists: parentGroup.select(call.db, group),
      absent: () => notFound("iam/Group", group),
    });
    return { termsAcceptances: page.rows.map(toAcceptance), ...page.envelope };
  },
});
