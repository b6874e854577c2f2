/** The form that changes an identity. Before a change of its tokens, it shows who gains and loses access. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient, useSession } from "../data/platform.tsx";
import { useUnchanged } from "../data/unchanged.ts";
import { Button } from "../elements/button.tsx";
import { SelectField } from "../elements/fields.tsx";
import { FormError } from "../elements/form_error.tsx";
import { type Naming, NamingFields } from "../elements/naming_fields.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { Accepts } from "./accepts.tsx";
import { type Draft, type DraftKind, draftOf, relationshipMask, relationshipOf } from "./drafts.ts";
import { kindNames, type Relationship } from "./kinds.ts";
import { type DraftProps, RelationshipFields, shownFields } from "./relationship_fields.tsx";
import { ReviewDialog } from "./review_dialog.tsx";

const kinds: readonly (readonly [DraftKind, string])[] = [
  ["claimMatch", kindNames.claimMatch],
  ["staticKeys", kindNames.staticKeys],
  ["awsIdentity", kindNames.awsIdentity],
  ["servicePrincipal", kindNames.servicePrincipal],
  ["none", "Nothing"],
];

export function EditIdentity({ identity }: { identity: Identity }) {
  const { may } = useMay(identity.uid);
  if (may("CAP_IAM_IDENTITY_UPDATE") === false)
    return (
      <Empty title="You cannot change this identity">
        <p>
          You need the <code>identity.update</code> capability on its group.
        </p>
      </Empty>
    );
  return <EditForm identity={identity} />;
}

function EditForm({ identity }: { identity: Identity }) {
  const { uid, name, description = "" } = identity;
  const client = useClient();
  const [, navigate] = useLocation();
  const write = useUnchanged(identity, (of) => client.identities.get(of));
  const before = draftOf(identity);
  const [naming, setNaming] = useState({ name, description });
  const [draft, setDraft] = useState<Draft>(before);
  const [isReviewing, setReviewing] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const hasNewTokens =
    JSON.stringify(relationshipOf(draft)) !== JSON.stringify(relationshipOf(before));
  const updateMask = ["name", "description", ...(hasNewTokens ? relationshipMask : [])];
  const change = { ...naming, ...(hasNewTokens ? relationshipOf(draft) : {}) };
  const saving = useChange<Naming, Identity>({
    key: ["identities", uid],
    call: (input) =>
      write((options) =>
        client.identities.update(uid, input, { ...options, updateMask: ["name", "description"] }),
      ),
    expect: (shown, input) => ({ ...shown, ...input }) as Identity,
    done: (input) => `Saved ${input.name}.`,
    reverse: (shown) => shown && { name: shown.name, description: shown.description ?? "" },
  });
  const error = refusal ?? saving.error;
  const save = async () => {
    if (hasNewTokens) return setReviewing(true);
    await saving.mutateAsync(naming).then(
      () => navigate(addresses.identity(uid)),
      () => undefined,
    );
  };
  return (
    <>
      <form
        class="identities-edit"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Section title="Name">
          <div class="form">
            <NamingFields naming={naming} error={error} onChange={setNaming} />
          </div>
        </Section>
        <Section title="What it accepts">
          <KindFields draft={draft} before={before.kind} error={error} onChange={setDraft} />
          {hasNewTokens && <InWords draft={draft} />}
        </Section>
        <FormError error={error} fields={shownFields} />
        <footer class="identities-form-actions">
          <Link class="button" href={addresses.identity(uid)}>
            Cancel
          </Link>
          <Button type="submit" kind="primary" busy={saving.isPending}>
            {hasNewTokens ? "Review the change" : "Save"}
          </Button>
        </footer>
      </form>
      {isReviewing && (
        <ReviewDialog
          write={write}
          identity={identity}
          change={change}
          updateMask={updateMask}
          onClose={(failure) => {
            setReviewing(false);
            setRefusal(failure ?? null);
          }}
        />
      )}
    </>
  );
}

function KindFields({ before, ...props }: DraftProps & { before: DraftKind }) {
  const { draft, onChange } = props;
  return (
    <div class="form">
      <SelectField
        label="Kind"
        value={draft.kind}
        options={kinds}
        hint={draft.kind === before ? undefined : "It replaces what the identity accepts now."}
        onChange={(kind) => onChange({ ...draft, kind })}
      />
      <RelationshipFields {...props} />
    </div>
  );
}

/** Shows in words which tokens the form would make the identity accept. */
export function InWords({ draft }: { draft: Draft }) {
  const { issuerName } = useSession().addresses;
  return (
    <div class="identities-in-words">
      <h3>In words</h3>
      <Accepts relationship={relationshipOf(draft) as Relationship} issuerUrl={issuerName} />
    </div>
  );
}
