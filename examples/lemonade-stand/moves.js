import { rules } from 'throughline/models';
const week = ['sunny', 'sunny', 'cloudy', 'sunny', 'rainy'];
const cupsIn = { sunny: 60, cloudy: 40, rainy: 15 };
/** What each role does in a step, by what it sees. */
const moves = {
    weather: (_, step) => [{ name: 'set_weather', arguments: { weather: week[(step - 1) % week.length] } }],
    customers: ({ weather }) => [{ name: 'set_demand', arguments: { cups: cupsIn[weather] } }],
    owner({ cash, demand, lemons }) {
        const missing = Math.max(0, demand - lemons);
        const isShort = missing * 0.5 > cash;
        return [
            ...(isShort ? [{ name: 'take_loan', arguments: { amount: 100 } }] : []),
            ...(missing > 0 ? [{ name: 'purchase_lemons', arguments: { count: missing } }] : []),
            { name: 'sell_lemonade', arguments: { price: 2 } },
        ];
    },
};
/** Models that are rules: `weather`, `customers` and `owner`, as the roles are called. */
export const models = Object.fromEntries(Object.entries(moves).map(([role, move]) => [
    role,
    rules(request => ({ calls: move(...readStep(request)) }), { name: `rules of ${role}` }),
]));
/** Tells the reader which tool to call, just before it is asked: it cannot decide by itself. */
export const advice = {
    on: 'before-model',
    run({ role, round, step, environment }) {
        if (round > 1)
            return;
        const calls = moves[role]({ ...environment }, step);
        return { inject: calls.map(call => `${call.name}(${JSON.stringify(call.arguments)})`).join(' and ') };
    },
};
function readStep({ messages }) {
    const asked = messages.findLast(({ role }) => role === 'user');
    const [, step, stand] = /^Step (\d+)\. Current Environment: (.*)$/s.exec(String(asked?.content)) ?? [];
    return [JSON.parse(stand), Number(step)];
}
