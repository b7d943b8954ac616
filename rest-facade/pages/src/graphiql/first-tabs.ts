/** The tabs of the first visit. */
export const firstTabs = [
  {
    query: `# Paste a token above.
# Then run the query with Ctrl-Enter.
query Templates {
  templates(first: 10) {
    edges {
      node {
        templateId
        name
        status
      }
    }
  }
}
`,
  },
  {
    query: `# It shows events as they happen,
# for example when a template is registered.
subscription Events {
  events(types: ["TemplateRegistered", "ScaffoldGenerated", "TemplateExecuted"]) {
    type
    cursor
    subject {
      ... on Template { name }
      ... on Execution { status output { repository commitSha } }
    }
  }
}
`,
  },
];
