import type { ResponsePath } from "@apollo/query-planner";
import { type Fields, ownValue } from "../query-planner/own-property.js";

const eachItem = "@";

/** Returns all objects at a plan path in response order, without nulls. */
export function entitiesAt(data: unknown, path: ResponsePath, depth = 0, entities: Fields[] = []): Fields[] {
  if (Array.isArray(data)) {
    const next = path[depth] === eachItem ? depth + 1 : depth;
    for (const item of data) {
      entitiesAt(item, path, next, entities);
    }
  } else if (typeof data === "object" && data !== null) {
    const key = path[depth];
    if (key === undefined) {
      entities.push(data as Fields);
    } else if (key !== eachItem) {
      entitiesAt(ownValue(data as Fields, String(key)), path, depth + 1, entities);
    }
  }
  return entities;
}

/** The response path to each object that `entitiesAt` finds, in the same order. It is computed only for errors. */
export function pathsAt(data: unknown, path: ResponsePath): ResponsePath[] {
  const paths: ResponsePath[] = [];
  const walk = (value: unknown, depth: number, trail: ResponsePath): void => {
    if (Array.isArray(value)) {
      const next = path[depth] === eachItem ? depth + 1 : depth;
      value.forEach((item, index) => walk(item, next, [...trail, index]));
    } else if (typeof value === "object" && value !== null) {
      const key = path[depth];
      if (key === undefined) {
        paths.push(trail);
      } else if (key !== eachItem) {
        walk(ownValue(value as Fields, String(key)), depth + 1, [...trail, key]);
      }
    }
  };
  walk(data, 0, []);
  return paths;
}

/** The start of a plan path, which is the same for every entity. */
export function fixedPrefix(path: ResponsePath): ResponsePath {
  const firstList = path.indexOf(eachItem);
  return firstList === -1 ? path : path.slice(0, firstList);
}
