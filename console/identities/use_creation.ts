/** Creates an identity, and then binds its role. These are two calls, so the second one can fail alone. */
import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useNotify } from "../elements/notices.tsx";
import { addresses } from "../frame/addresses.ts";
import type { RoleDraft } from "./bind_role.tsx";
import { type Draft, relationshipOf } from "./drafts.ts";

/** The content of the form. */
export interface Wanted {
  group: string;
  naming: { name: string; description: string };
  draft: Draft;
  role: RoleDraft | undefined;
}

/** The state of the two calls. */
export interface Creation {
  /** Set if the identity exists and its role is not bound. */
  created: Identity | undefined;
  role: RoleDraft | undefined;
  error: Error | null;
  isBusy: boolean;
  create(wanted: Wanted): Promise<void>;
  /** Binds the role of an identity that exists. */
  bindAgain(): Promise<void>;
}

export function useCreation(): Creation {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<Identity>();
  const [role, setRole] = useState<RoleDraft>();
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const finish = async ({ uid, name }: Identity, roleName: string | undefined) => {
    notify({ text: roleName ? `Created ${name} with the role ${roleName}.` : `Created ${name}.` });
    navigate(addresses.identity(uid, "use"));
    await queries.invalidateQueries({ queryKey: ["identities"] });
  };
  const bind = async (identity: Identity, { role: chosen, group }: RoleDraft) => {
    const binding = { identityUid: identity.uid, roleUid: chosen?.uid ?? "" };
    await client.roleBindings.create(group?.uid ?? "", binding);
    await queries.invalidateQueries({ queryKey: ["roleBindings"] });
    await finish(identity, chosen?.name);
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await work().catch((thrown: Error) => setError(thrown));
    setBusy(false);
  };
  return {
    created,
    role,
    error,
    isBusy,
    create: ({ group, naming, draft, role: wanted }) =>
      attempt(async () => {
        const made = await client.identities.create(group, { ...naming, ...relationshipOf(draft) });
        if (!wanted) return finish(made, undefined);
        setRole(wanted);
        await bind(made, wanted).catch((thrown: Error) => {
          setCreated(made);
          throw thrown;
        });
      }),
    bindAgain: () =>
      attempt(async () => {
        if (created && role) await bind(created, role);
      }),
  };
}
