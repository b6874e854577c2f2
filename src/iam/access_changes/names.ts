/** Adds names to changes of access: of identities, groups and identity providers. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { inArray } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  type AccessChange,
  AccessChangeSchema,
  type AccessTokensSchema,
} from "../../../schema/gen/platform/iam/access_changes/v2/access_changes_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { Call } from "../../auth/call.ts";
import type { Difference } from "./difference.ts";
import type { Holder } from "./held_roles.ts";

/** Tokens that an identity accepts, with the name of the identity. */
export type NamedTokens = MessageInitShape<typeof AccessTokensSchema>;

/** A change without the names in it. */
export type Unnamed = Difference & { holder: Holder | { tokens: NamedTokens } };

const isOneOf = (column: SQLiteColumn, uids: string[]) =>
  inArray(column, valuesSubselect([...new Set(uids)]));

/** Reads all names in one round trip. Takes none for no changes. */
export async function readNames({ db }: Call, changes: Unnamed[]): Promise<AccessChange[]> {
  if (changes.length === 0) return [];
  const holders = changes.map(({ holder }) => holder);
  const uidsOfGroups = changes.flatMap(({ group, unchanged }) => [group, ...unchanged]);
  const people = holders.flatMap((holder) => ("identity" in holder ? holder.identity : []));
  const providers = holders.flatMap((holder) => ("provider" in holder ? holder.provider : []));
  const [ofIdentities, ofGroups, ofRepos, ofProviders] = await db.batch([
    db
      .select({ uid: identities.uid, name: identities.name, email: identities.email })
      .from(identities)
      .where(isOneOf(identities.uid, people)),
    db
      .select({ uid: groups.uid, name: groups.name })
      .from(groups)
      .where(isOneOf(groups.uid, uidsOfGroups)),
    db
      .select({ uid: repos.uid, name: repos.name })
      .from(repos)
      .where(isOneOf(repos.uid, uidsOfGroups)),
    db
      .select({ uid: identityProviders.uid, name: identityProviders.name })
      .from(identityProviders)
      .where(isOneOf(identityProviders.uid, providers)),
  ]);
  const identityOf = new Map(ofIdentities.map((row) => [row.uid, row]));
  const nameOf = new Map(
    [...ofGroups, ...ofRepos, ...ofProviders].map(({ uid, name }) => [uid, name]),
  );
  const toGroup = (uid: string) => ({ uid, name: nameOf.get(uid) ?? "" });
  const toHolder = (holder: Unnamed["holder"]) => {
    if ("tokens" in holder) return { case: "tokens" as const, value: holder.tokens };
    if ("identity" in holder) {
      const value = identityOf.get(holder.identity) ?? { uid: holder.identity };
      return { case: "identity" as const, value };
    }
    const { provider, externalGroup } = holder;
    const value = {
      identityProviderUid: provider,
      identityProviderName: nameOf.get(provider) ?? "",
      externalGroupId: externalGroup,
    };
    return { case: "externalGroup" as const, value };
  };
  return changes.map(({ holder, group, gained, lost, unchanged }) =>
    create(AccessChangeSchema, {
      holder: toHolder(holder),
      group: toGroup(group),
      gained,
      lost,
      unchangedGroups: unchanged.map(toGroup),
    }),
  );
}
