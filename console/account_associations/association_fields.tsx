/** The fields of an account association: a part for each provider. */
import type { ComponentChildren } from "preact";
import { capitalized } from "../elements/badge.tsx";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { NamingFields } from "../elements/naming_fields.tsx";
import { IdentityPicker } from "../elements/pickers.tsx";
import type { AssociationForm } from "./association_form.ts";
import { RowsField } from "./rows_field.tsx";

/** The services of the operator, as the keys of service bindings. */
const services = [
  ...["APKO_BUILDER", "CATALOG_SYNCER", "COSIGNED", "ENTITLEMENT_SYNCER", "GUARDENER", "INGESTER"],
  ...["MATERIALIZER", "MICROFLOW", "MICROVM", "SEDIMENTOLOGY", "SKILLS", "SKILLUP"],
  "TENANT_SCANNER",
].map((key) => [key, capitalized(key)] as const);

interface FieldsProps {
  /** The uid of the group. */
  group: string;
  form: AssociationForm;
  onChange: (changes: Partial<AssociationForm>) => void;
  error: Error | null;
}

export function AssociationFields(props: FieldsProps) {
  const { form, onChange, error } = props;
  return (
    <>
      <fieldset>
        <legend>About</legend>
        <NamingFields
          naming={form}
          onChange={({ name, description }) => onChange({ name, description })}
          error={error}
        />
      </fieldset>
      <Amazon {...props} />
      <Google {...props} />
      <Azure {...props} />
      <GitHub {...props} />
      <Services {...props} />
    </>
  );
}

function ProviderPart({
  title,
  label = `Link ${title}`,
  isOn,
  onSwitch,
  children,
}: {
  title: string;
  label?: string;
  isOn: boolean;
  onSwitch: (isOn: boolean) => void;
  children: ComponentChildren;
}) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <CheckField label={label} checked={isOn} onChange={onSwitch} />
      {isOn && children}
    </fieldset>
  );
}

function Amazon({ form: { amazon }, onChange, error }: FieldsProps) {
  return (
    <ProviderPart
      title="AWS"
      isOn={amazon.isOn}
      onSwitch={(isOn) => onChange({ amazon: { ...amazon, isOn } })}
    >
      <TextField
        label="Account number"
        hint="12 digits."
        value={amazon.account}
        onInput={(account) => onChange({ amazon: { ...amazon, account } })}
        error={violationOf(error, "amazon.account")}
        required
      />
    </ProviderPart>
  );
}

function Google({ form: { google }, onChange, error }: FieldsProps) {
  const change = (values: Partial<typeof google>) => onChange({ google: { ...google, ...values } });
  return (
    <ProviderPart title="Google Cloud" isOn={google.isOn} onSwitch={(isOn) => change({ isOn })}>
      <TextField
        label="Project id"
        value={google.projectId}
        onInput={(projectId) => change({ projectId })}
        error={violationOf(error, "google.project_id")}
        required
      />
      <TextField
        label="Project number"
        hint="Decimal digits."
        value={google.projectNumber}
        onInput={(projectNumber) => change({ projectNumber })}
        error={violationOf(error, "google.project_number")}
        required
      />
    </ProviderPart>
  );
}

function Azure({ form: { azure }, onChange, error }: FieldsProps) {
  const change = (values: Partial<typeof azure>) => onChange({ azure: { ...azure, ...values } });
  return (
    <ProviderPart title="Microsoft Azure" isOn={azure.isOn} onSwitch={(isOn) => change({ isOn })}>
      <TextField
        label="Tenant id"
        hint="The GUID of the Microsoft Entra tenant."
        value={azure.tenantId}
        onInput={(tenantId) => change({ tenantId })}
        error={violationOf(error, "azure.tenant_id")}
        required
      />
      <RowsField
        rows={azure.clients}
        fresh={{ component: "", id: "" }}
        noun="application"
        onChange={(clients) => change({ clients })}
      >
        {(client, edit) => (
          <>
            <TextField
              label="Component of the platform"
              value={client.component}
              onInput={(component) => edit({ component })}
              required
            />
            <TextField
              label="Application (client) id"
              value={client.id}
              onInput={(id) => edit({ id })}
              required
            />
          </>
        )}
      </RowsField>
    </ProviderPart>
  );
}

function GitHub({ form: { github }, onChange }: FieldsProps) {
  const change = (values: Partial<typeof github>) => onChange({ github: { ...github, ...values } });
  return (
    <ProviderPart title="GitHub" isOn={github.isOn} onSwitch={(isOn) => change({ isOn })}>
      <RowsField
        rows={github.installations}
        fresh={{ app: "", id: "", name: "" }}
        noun="installation"
        onChange={(installations) => change({ installations })}
      >
        {(installation, edit) => (
          <>
            <TextField
              label="App id"
              value={installation.app}
              onInput={(app) => edit({ app })}
              required
            />
            <TextField
              label="Installation id"
              value={installation.id}
              onInput={(id) => edit({ id })}
              required
            />
            <TextField
              label="Account"
              value={installation.name}
              onInput={(name) => edit({ name })}
            />
          </>
        )}
      </RowsField>
    </ProviderPart>
  );
}

function Services({ group, form: { vendor }, onChange, error }: FieldsProps) {
  const change = (values: Partial<typeof vendor>) => onChange({ vendor: { ...vendor, ...values } });
  return (
    <ProviderPart
      title="Services of the operator"
      label="Let services of the operator assume identities"
      isOn={vendor.isOn}
      onSwitch={(isOn) => change({ isOn })}
    >
      <p class="hint">
        The identity that each service assumes. It must be an identity of this group that was made
        for the service.
      </p>
      <RowsField
        rows={vendor.services}
        fresh={{ service: "CATALOG_SYNCER", identity: undefined }}
        noun="service"
        onChange={(bindings) => change({ services: bindings })}
      >
        {(binding, edit) => (
          <>
            <SelectField
              label="Service"
              value={binding.service}
              options={services}
              onChange={(service) => edit({ service })}
            />
            <IdentityPicker
              group={group}
              label="Identity"
              value={binding.identity}
              onChange={(identity) => edit({ identity })}
              error={violationOf(error, `service_bindings[${JSON.stringify(binding.service)}]`)}
            />
          </>
        )}
      </RowsField>
    </ProviderPart>
  );
}
