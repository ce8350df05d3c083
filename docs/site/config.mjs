import { defineConfig } from 'vitepress';

// Read by VitePress in target/site/pages/.vitepress, where the script `build` puts it beside the pages.
const recipes = [
  'tasks', 'retries', 'idempotency', 'transactions', 'bounded-queues', 'schedules', 'cancellation', 'steps', 'remote-steps',
  'approvals',
];
const origins = {
  'db-scheduler': 'db-scheduler', jobrunr: 'JobRunr', quartz: 'Quartz', temporal: 'Temporal', dbos: 'DBOS', bullmq: 'BullMQ',
  moving: 'Moving',
};
const title = (name) => name[0].toUpperCase() + name.slice(1).replace('-', ' ');
const page = (text, name) => ({ text, link: `/docs/${name}` });

export default defineConfig({
  title: 'Runlane for Vert.x',
  description: 'Durable runs for reactive Java services on Postgres',
  lang: 'en-GB',
  head: [['style', {}, ':root { --vp-code-font-size: 0.8em; --vp-layout-max-width: 1600px } .vp-doc { max-width: 860px }']],
  // A link that leads nowhere fails the build.
  ignoreDeadLinks: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/docs/' },
      { text: 'Modules', link: '/#modules' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Learning',
        items: [
          page('The guide', ''),
          page('Concepts', 'concepts'),
          page('First application', 'first-application'),
          page('Testing', 'testing'),
          page('Frequent questions', 'questions'),
        ],
      },
      { text: 'Recipes', items: recipes.map((name) => page(title(name), `recipes/${name}`)) },
      {
        text: 'Running it',
        items: [
          page('Operating', 'operating'),
          page('Containers', 'containers'),
          page('Operations', 'operations'),
          page('Incidents', 'incidents'),
          page('Tuning', 'tuning'),
          page('Triggers over JDBC', 'jdbc'),
          page('Triggers by SQL', 'sql'),
          page('Changing payloads and handlers', 'changing'),
          page('Security', 'security'),
          page('Growing', 'growing'),
          page('Errors', 'errors'),
          page('Limits', 'limits'),
          page('Versions', 'versions'),
        ],
      },
      {
        text: 'Coming from',
        collapsed: true,
        items: Object.entries(origins).map(([name, text]) => page(text, `coming-from/${name}`)),
      },
      { text: 'Inside', items: [page('How it works inside', 'inside'), page('Writing an adapter', 'adapters')] },
    ],
  },
});
