/** The page that creates an identity: what it is for, what it accepts, its name, and a role if wanted. */
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Choice } from "../data/choices.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { rootOf, shortUid } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { CheckField } from "../elements/fields.tsx";
import { FormError } from "../elements/form_error.tsx";
import { NamingFields } from "../elements/naming_fields.tsx";
import { Page, Section } from "../elements/page.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { type RoleDraft, RoleFields } from "./bind_role.tsx";
import { InWords } from "./edit_identity.tsx";
import { GuideFields } from "./guide_fields.tsx";
import {
  draftOfGuide,
  emptyGuides,
  type GuideName,
  guideNames,
  isDescribed,
  suggestedName,
  systemOf,
} from "./guides.ts";
import { HalfDone } from "./half_done.tsx";
import { shownFields } from "./relationship_fields.tsx";
import { SystemJob } from "./system_fields.tsx";
import { useCreation } from "./use_creation.ts";

export default function NewIdentity() {
  const { uid, group } = useCurrentGroup();
  return (
    <Page
      title="New identity"
      path={[["Identities", addresses.identities(uid)]]}
      lead="An identity for a workload. The workload then needs no stored secret."
    >
      {uid !== "" && <NewIdentityForm group={{ uid, name: group?.name ?? shortUid(uid) }} />}
    </Page>
  );
}

function NewIdentityForm({ group }: { group: Choice }) {
  const { get, set } = useParameters();
  const guide = guideNames.find(([name]) => name === get("kind"))?.[0] ?? "github";
  const [guides, setGuides] = useState(emptyGuides);
  const [typed, setTyped] = useState<{ name?: string; description: string }>({ description: "" });
  const [role, setRole] = useState<RoleDraft>();
  // A role on a group that the identity cannot reach would give nothing.
  useEffect(() => setRole(undefined), [group.uid]);
  const { may } = useMay(group.uid);
  const creation = useCreation();
  const draft = draftOfGuide(guide, guides);
  const system = systemOf(guide);
  const naming = { ...typed, name: typed.name ?? suggestedName(guide, guides) };
  if (may("CAP_IAM_IDENTITY_CREATE") === false) return <Refused group={group} />;
  if (creation.created) return <HalfDone creation={creation} />;
  const { error, isBusy } = creation;
  return (
    <form
      class="identities-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void creation.create({ group: group.uid, naming, draft, role });
      }}
    >
      <GuideChoice value={guide} onChange={(kind) => set({ kind })} />
      <Section title="What it accepts">
        <div class="form">
          <GuideFields name={guide} guides={guides} error={error} onChange={setGuides} />
        </div>
        {isDescribed(guide, guides) && <InWords draft={draft} />}
        {system && <SystemJob system={system} />}
      </Section>
      <Section title="Name and group">
        <div class="form">
          <NamingFields naming={naming} error={error} onChange={setTyped} />
        </div>
        <GroupChoice group={group} onChange={(uid) => set({ group: uid })} />
      </Section>
      <Section title="Role">
        <RoleChoice group={group} role={role} onChange={setRole} />
      </Section>
      <FormError error={error} fields={shownFields} />
      <footer class="identities-form-actions">
        <Link class="button" href={addresses.identities(group.uid)}>
          Cancel
        </Link>
        <Button
          type="submit"
          kind="primary"
          busy={isBusy}
          refusal={
            role && !(role.role && role.group) ? "Choose a role and its group first." : undefined
          }
        >
          {role ? "Create it and bind the role" : "Create"}
        </Button>
      </footer>
    </form>
  );
}

const Refused = ({ group: { name, uid } }: { group: Choice }) => (
  <Empty title="You cannot create an identity here">
    <p>
      You need the <code>identity.create</code> capability on <bdi>{name}</bdi>. Ask an owner of the
      group, or <Link href={addresses.identities(uid)}>look at its identities</Link>.
    </p>
  </Empty>
);

function GuideChoice(props: { value: GuideName; onChange: (value: GuideName) => void }) {
  const { value, onChange } = props;
  return (
    <fieldset class="identities-guides">
      <legend>What is it for?</legend>
      {guideNames.map(([name, title, about]) => (
        <label key={name} class="identities-guide">
          <input
            type="radio"
            name="guide"
            value={name}
            checked={name === value}
            onChange={() => onChange(name)}
          />
          <span>
            <strong>{title}</strong>
            <small>{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const GroupChoice = ({ group, onChange }: { group: Choice; onChange: (uid: string) => void }) => (
  <div class="form identities-next-field">
    <GroupPicker
      key={`${group.uid} ${group.name}`}
      label="Group"
      hint="The identity can reach only this group and everything below it. The registry needs an identity of the organization."
      group={rootOf(group.uid)}
      value={group}
      onChange={(choice) => choice && choice.uid !== group.uid && onChange(choice.uid)}
    />
  </div>
);

function RoleChoice(props: {
  group: Choice;
  role: RoleDraft | undefined;
  onChange: (role: RoleDraft | undefined) => void;
}) {
  const { group, role, onChange } = props;
  const { may } = useMay(group.uid);
  if (may("CAP_IAM_ROLE_BINDINGS_CREATE") === false)
    return (
      <p class="pale identities-last">
        To bind a role, you need the <code>role_bindings.create</code> capability. Someone who has
        it can bind a role later.
      </p>
    );
  return (
    <div class="form">
      <CheckField
        label="Bind a role to it"
        hint="An identity without a role can do nothing."
        checked={role !== undefined}
        onChange={(checked) => onChange(checked ? { role: undefined, group } : undefined)}
      />
      {role && <RoleFields reach={group.uid} draft={role} onChange={onChange} />}
    </div>
  );
}
