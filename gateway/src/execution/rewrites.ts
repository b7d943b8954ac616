import type { FetchDataRewrite } from "@apollo/query-planner";
import type { GraphQLSchema } from "graphql";
import { type Fields, ownValue, setOwn } from "../query-planner/own-property.js";
import type { FieldShape } from "./merge.js";
import { satisfyingTypes } from "./type-conditions.js";

const typeConditionPrefix = "... on ";

type Change = (target: Fields) => void;
type Visit = (value: unknown) => void;

/** Compiles the input or output rewrites that the planner made for one fetch. Returns undefined without rewrites. */
export function compileRewrites(schema: GraphQLSchema, rewrites: FetchDataRewrite[] | undefined): Visit | undefined {
  if (!rewrites || rewrites.length === 0) {
    return undefined;
  }
  const visits = rewrites.map((rewrite) => compileRewrite(schema, rewrite));
  return (value) => {
    for (const visit of visits) {
      visit(value);
    }
  };
}

function compileRewrite(schema: GraphQLSchema, rewrite: FetchDataRewrite): Visit {
  const field = rewrite.path.at(-1);
  if (field === undefined || field.startsWith(typeConditionPrefix)) {
    throw new Error(`A rewrite must end in a field, got [${rewrite.path.join(", ")}]`);
  }
  return rewrite.path
    .slice(0, -1)
    .reduceRight<Visit>(
      (next, element) => step(schema, element, next),
      eachObject(
        rewrite.kind === "ValueSetter" ? setter(field, rewrite.setValueTo) : renamer(field, rewrite.renameKeyTo),
      ),
    );
}

function step(schema: GraphQLSchema, element: string, next: Visit): Visit {
  if (!element.startsWith(typeConditionPrefix)) {
    return eachObject((target) => next(ownValue(target, element)));
  }
  const types = satisfyingTypes(schema, element.slice(typeConditionPrefix.length));
  return eachObject((target) => {
    const typename = target["__typename"];
    // An object without __typename always has the selected type.
    if (typeof typename !== "string" || types.has(typename)) {
      next(target);
    }
  });
}

function eachObject(change: Change): Visit {
  const visit: Visit = (value) => {
    if (Array.isArray(value)) {
      for (const item of value) {
        visit(item);
      }
    } else if (typeof value === "object" && value !== null) {
      change(value as Fields);
    }
  };
  return visit;
}

function setter(field: string, value: unknown): Change {
  return (target) => setOwn(target, field, value);
}

function renamer(field: string, newName: string): Change {
  return (target) => {
    const value = ownValue(target, field);
    if (value !== undefined) {
      setOwn(target, newName, value);
      delete target[field];
    }
  };
}

/** Copies the shape under each alias that the planner chose to the key that replaces the alias. */
export function renameInShape(shape: FieldShape, rewrites: FetchDataRewrite[] | undefined): void {
  for (const rewrite of rewrites ?? []) {
    if (rewrite.kind === "KeyRenamer") {
      const fields = rewrite.path.filter((element) => !element.startsWith(typeConditionPrefix));
      const alias = fields.pop();
      let holder: FieldShape | null | undefined = shape;
      for (const field of fields) {
        holder = holder?.get(field);
      }
      const aliasShape = alias === undefined ? undefined : holder?.get(alias);
      if (holder && aliasShape !== undefined) {
        const keyShape = holder.get(rewrite.renameKeyTo);
        holder.set(rewrite.renameKeyTo, keyShape && aliasShape ? new Map([...keyShape, ...aliasShape]) : aliasShape);
      }
    }
  }
}

/** Alias that the planner chose -> the client's response key. Error paths use this mapping. */
export function renamedKeys(rewrites: FetchDataRewrite[] | undefined): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const rewrite of rewrites ?? []) {
    const alias = rewrite.path.at(-1);
    if (rewrite.kind === "KeyRenamer" && alias !== undefined) {
      keys.set(alias, rewrite.renameKeyTo);
    }
  }
  return keys;
}
