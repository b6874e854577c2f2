/** The groups of an organization: nested lists that open and close (ARIA Authoring Practices, disclosure). */
import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Group } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { shownName } from "../data/shown_name.ts";
import { isAtOrAbove, pathOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Answer, Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { useChildren, useFoundGroups } from "./tree_data.ts";

/** An organization and the groups below it. */
export const maxLevels = 5;

/** The tree of `root`. The address names the selected group and the text that is searched for. */
export function GroupTree({ root, selected }: { root: Group; selected: string }) {
  const { get, set } = useParameters();
  const search = get("find");
  const isSmall = useIsSmall();
  return (
    <details class="access-tree" open={!isSmall}>
      <summary>Groups of {root.name}</summary>
      <nav aria-label="Groups">
        <SearchField label="Find a group" value={search} onSearch={(find) => set({ find })} />
        {search === "" ? (
          <ul class="access-branch" onKeyDown={moveThroughTree}>
            <Branch group={root} root={root.uid} selected={selected} />
          </ul>
        ) : (
          <FoundGroups root={root.uid} selected={selected} search={search} />
        )}
      </nav>
    </details>
  );
}

/** On a small window, the tree is closed at first. */
function useIsSmall(): boolean {
  const [query] = useState(() => matchMedia("(max-width: 1099px)"));
  const [isSmall, setSmall] = useState(query.matches);
  useEffect(() => {
    const update = () => setSmall(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, [query]);
  return isSmall;
}

interface BranchProps {
  group: Group;
  root: string;
  selected: string;
}

function Branch({ group, root, selected }: BranchProps) {
  const { uid, name } = group;
  const isAbove = uid !== selected && isAtOrAbove(uid, selected);
  const [isOpen, setOpen] = useState(uid === root || isAbove);
  useEffect(() => {
    if (isAbove) setOpen(true);
  }, [isAbove]);
  const children = useChildren(root, uid, isOpen);
  const isLeaf = pathOf(uid).length >= maxLevels || children.groups?.length === 0;
  return (
    <li>
      <span class="access-node">
        {isLeaf ? (
          <span class="access-toggle" />
        ) : (
          <button
            type="button"
            class="access-toggle"
            aria-expanded={isOpen}
            aria-label={`Groups below ${name}`}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        <GroupLink group={group} selected={selected} />
      </span>
      {isOpen && !isLeaf && (
        <ul class="access-branch">
          {children.groups?.map((child) => (
            <Branch key={child.uid} group={child} root={root} selected={selected} />
          ))}
          {!children.groups && !children.error && <Loading lines={1} what={`Loading ${name}`} />}
          {children.error && (
            <li>
              <ErrorNotice error={children.error} retry={children.retry} />
            </li>
          )}
          {children.more && (
            <li>
              <Button onClick={children.more}>Show more groups</Button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function GroupLink({ group, selected }: { group: Group; selected: string }) {
  const { uid, name } = group;
  const { get } = useParameters();
  const queries = useQueryClient();
  return (
    <Link
      href={addresses.access(uid, { view: get("view"), find: get("find") })}
      aria-current={uid === selected ? "page" : undefined}
      title={name}
      onClick={() => queries.setQueryData(["groups", uid], group)}
    >
      {shownName(name, uid)}
    </Link>
  );
}

function FoundGroups({
  root,
  selected,
  search,
}: {
  root: string;
  selected: string;
  search: string;
}) {
  const query = useFoundGroups(root, search);
  return (
    <Answer query={query} lines={2}>
      {(groups) => (
        <>
          <p class="pale" role="status">
            {groups.length === 0 ? "No group has this name." : `${groups.length} found`}
          </p>
          <ul class="access-branch">
            {groups.map((group) => (
              <li key={group.uid}>
                <span class="access-node found">
                  <GroupLink group={group} selected={selected} />
                  <small class="pale">{group.path}</small>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Answer>
  );
}

/** The arrow keys move between the links, and open and close the groups. */
function moveThroughTree(event: KeyboardEvent & { currentTarget: HTMLElement }) {
  const { key, target, currentTarget } = event;
  if (!(target instanceof HTMLAnchorElement)) return;
  const toggle = target.parentElement?.querySelector<HTMLButtonElement>("button");
  const links = [...currentTarget.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const wanted = { ArrowRight: "false", ArrowLeft: "true" }[key];
  if (step !== undefined) links[links.indexOf(target) + step]?.focus();
  else if (wanted !== undefined && toggle?.getAttribute("aria-expanded") === wanted) toggle.click();
  else return;
  event.preventDefault();
}
