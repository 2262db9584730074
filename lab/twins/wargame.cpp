// The C++ twin of the AI Wargame kernel (src/noctagon/games/wargame/rules/kernel.py): the same record, the same algorithm,
// the same order of actions, so that the counts agree and the seconds can be compared.
//
//   g++ -O3 -march=native -std=c++17 -o wargame wargame.cpp
//   ./wargame perft DEPTH [REPEAT]
//   ./wargame alphabeta DEPTH [REPEAT]
//
// prints COUNT VALUE SECONDS: leaves or positions visited, the value by e0 (0 for perft), the best time of REPEAT.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace {

constexpr int DEPTHS = 128;
constexpr int AI = 0, VIRUS = 1, TECH = 2;
constexpr int FULL_HEALTH = 9, BLAST = 2, BOTH_ALIVE = 3;
constexpr char START[] = "dA9 dT9 dF9 . . dT9 dP9 . . . dF9 . . . aP9 . . . aF9 aV9 . . aP9 aV9 aA9 a 0";

constexpr int64_t DAMAGE[64] = {
    3, 3, 3, 1, 3, 0, 0, 0,  //
    9, 1, 6, 1, 6, 0, 0, 0,  //
    1, 6, 1, 1, 1, 0, 0, 0,  //
    1, 1, 1, 1, 1, 0, 0, 0,  //
    3, 3, 3, 1, 3, 0, 0, 0};
constexpr int64_t REPAIR[64] = {
    0, 1, 1, 0, 0, 0, 0, 0,  //
    0, 0, 0, 0, 0, 0, 0, 0,  //
    3, 0, 0, 3, 3, 0, 0, 0};
constexpr int64_t WORTH[2][5] = {{9999, 3, 3, 3, 3}, {-9999, -3, -3, -3, -3}};

struct Neighbours {
    int64_t beside[25]{}, around[25]{}, ahead[2][25]{};

    constexpr Neighbours() {
        for (int cell = 0; cell < 25; ++cell)
            for (int down = -1; down <= 1; ++down)
                for (int right = -1; right <= 1; ++right) {
                    const int row = cell / 5 + down, column = cell % 5 + right;
                    if ((down == 0 && right == 0) || row < 0 || row > 4 || column < 0 || column > 4) continue;
                    const int64_t bit = int64_t{1} << (row * 5 + column);
                    around[cell] |= bit;
                    if (down != 0 && right != 0) continue;
                    beside[cell] |= bit;
                    ahead[down + right < 0 ? 0 : 1][cell] |= bit;
                }
    }
};
constexpr Neighbours NEAR;

struct State {
    uint8_t cells[25];
    uint8_t side, limit_first, alive;
    int32_t ply, plies;
    int32_t army[2];
    int32_t nimble, damaged, e0;
    uint32_t made;
    int64_t nodes;
    int32_t log[DEPTHS + 1][8];
    uint8_t blasts[DEPTHS + 1][8];
};

inline int64_t lowest(int64_t cells) { return __builtin_ctzll(static_cast<uint64_t>(cells)); }
inline int64_t size(int64_t cells) { return __builtin_popcountll(static_cast<uint64_t>(cells)); }

inline int64_t targets(const State& s, int64_t source) {
    const int64_t side = s.side, own = s.army[side], enemy = s.army[side ^ 1], nimble = s.nimble;
    const int64_t beside = NEAR.beside[source];
    const int64_t attacks = beside & enemy;
    int64_t reach;
    if (nimble >> source & 1)
        reach = attacks | (beside & ~(own | enemy));
    else if (attacks)
        reach = attacks;
    else
        reach = NEAR.ahead[side][source] & ~(own | enemy);
    const int64_t patients = beside & own & s.damaged;
    if (patients) {
        const int kind = s.cells[source] >> 4 & 7;
        if (kind == AI)
            reach |= patients & nimble;
        else if (kind == TECH)
            reach |= patients & ~nimble;
    }
    return reach;
}

inline void hit(State& s, int64_t cell, int64_t damage) {
    const int code = s.cells[cell];
    if ((code & 15) > damage) {
        s.cells[cell] = static_cast<uint8_t>(code - damage);
        s.damaged |= 1 << cell;
        return;
    }
    const int side = code >> 7, kind = code >> 4 & 7;
    const int32_t others = ~(1 << cell);
    s.cells[cell] = 0;
    s.army[side] &= others;
    s.nimble &= others;
    s.damaged &= others;
    s.e0 -= static_cast<int32_t>(WORTH[side][kind]);
    if (kind == AI) s.alive &= static_cast<uint8_t>(2 - side);
}

inline void make(State& s, int64_t source, int64_t target) {
    const int code = s.cells[source], other = s.cells[target];
    const uint32_t made = ++s.made;
    int32_t* log = s.log[made];
    log[0] = s.army[0];
    log[1] = s.army[1];
    log[2] = s.nimble;
    log[3] = s.damaged;
    log[4] = s.e0;
    log[5] = s.alive;
    log[6] = static_cast<int32_t>(source | target << 5 | code << 10 | other << 18);
    const int side = s.side;
    s.side = static_cast<uint8_t>(side ^ 1);
    ++s.ply;
    if (other == 0) {
        const int32_t both = 1 << source | 1 << target;
        s.cells[source] = 0;
        s.cells[target] = static_cast<uint8_t>(code);
        s.army[side] ^= both;
        if (s.nimble >> source & 1) s.nimble ^= both;
        if (s.damaged >> source & 1) s.damaged ^= both;
    } else if (source == target) {
        hit(s, source, FULL_HEALTH);
        uint8_t* blasts = s.blasts[made];
        int64_t struck = NEAR.around[source] & (s.army[0] | s.army[1]);
        for (; struck; struck &= struck - 1) {
            const int64_t cell = lowest(struck);
            *blasts++ = s.cells[cell];
            hit(s, cell, BLAST);
        }
    } else {
        const int kind = code >> 4 & 7, other_kind = other >> 4 & 7;
        if (other >> 7 == side) {
            const int64_t health = std::min<int64_t>((other & 15) + REPAIR[kind << 3 | other_kind], FULL_HEALTH);
            s.cells[target] = static_cast<uint8_t>((other & ~15) | health);
            if (health == FULL_HEALTH) s.damaged ^= 1 << target;
        } else {
            hit(s, target, DAMAGE[kind << 3 | other_kind]);
            hit(s, source, DAMAGE[other_kind << 3 | kind]);
        }
    }
}

inline void unmake(State& s) {
    const uint32_t made = s.made--;
    const int32_t* log = s.log[made];
    s.army[0] = log[0];
    s.army[1] = log[1];
    s.nimble = log[2];
    s.damaged = log[3];
    s.e0 = log[4];
    s.alive = static_cast<uint8_t>(log[5]);
    const int32_t action = log[6];
    const int source = action & 31, target = action >> 5 & 31;
    s.cells[source] = static_cast<uint8_t>(action >> 10);
    s.cells[target] = static_cast<uint8_t>(action >> 18);
    if (source == target) {
        const uint8_t* blasts = s.blasts[made];
        int64_t struck = NEAR.around[source] & (s.army[0] | s.army[1]);
        for (; struck; struck &= struck - 1) s.cells[lowest(struck)] = *blasts++;
    }
    s.side ^= 1;
    --s.ply;
}

int64_t perft(State& s, int64_t depth) {
    if (depth == 0) return 1;
    if (s.alive != BOTH_ALIVE || s.ply >= s.plies) return 0;
    int64_t count = 0;
    for (int64_t sources = s.army[s.side]; sources; sources &= sources - 1) {
        const int64_t source = lowest(sources);
        int64_t reach = targets(s, source);
        if (depth == 1) {
            count += size(reach) + 1;
            continue;
        }
        int64_t target = -1;
        while (target != source) {
            target = source;
            if (reach) {
                target = lowest(reach);
                reach &= reach - 1;
            }
            make(s, source, target);
            count += perft(s, depth - 1);
            unmake(s);
        }
    }
    return count;
}

int64_t alphabeta(State& s, int64_t depth, int64_t alpha, int64_t beta) {
    ++s.nodes;
    if (depth == 0 || s.alive != BOTH_ALIVE || s.ply >= s.plies) return s.e0;
    const int side = s.side;
    int64_t best = side == 0 ? -(1 << 30) : 1 << 30;
    for (int64_t sources = s.army[side]; sources; sources &= sources - 1) {
        const int64_t source = lowest(sources);
        int64_t reach = targets(s, source);
        int64_t target = -1;
        while (target != source) {
            target = source;
            if (reach) {
                target = lowest(reach);
                reach &= reach - 1;
            }
            int64_t value;
            make(s, source, target);
            if (depth == 1) {
                ++s.nodes;
                value = s.e0;
            } else {
                value = alphabeta(s, depth - 1, alpha, beta);
            }
            unmake(s);
            if (side == 0) {
                best = std::max(best, value);
                alpha = std::max(alpha, value);
            } else {
                best = std::min(best, value);
                beta = std::min(beta, value);
            }
            if (alpha >= beta) return best;
        }
    }
    return best;
}

void set_up(State& s) {
    std::memset(&s, 0, sizeof s);
    s.plies = 100;
    std::istringstream text(START);
    const std::string kinds = "AVTFP";
    for (int cell = 0; cell < 25; ++cell) {
        std::string unit;
        text >> unit;
        if (unit == ".") continue;
        const int side = unit[0] == 'd', kind = static_cast<int>(kinds.find(unit[1])), health = unit[2] - '0';
        s.cells[cell] = static_cast<uint8_t>(side << 7 | kind << 4 | health);
        s.army[side] |= 1 << cell;
        s.e0 += static_cast<int32_t>(WORTH[side][kind]);
        if (kind == AI) s.alive |= static_cast<uint8_t>(1 << side);
        if (kind == VIRUS || kind == TECH) s.nimble |= 1 << cell;
        if (health < FULL_HEALTH) s.damaged |= 1 << cell;
    }
}

State state;

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 2 ? argv[1] : "";
    const int depth = argc > 2 ? std::atoi(argv[2]) : -1;
    const int repeat = argc > 3 ? std::atoi(argv[3]) : 1;
    if ((what != "perft" && what != "alphabeta") || depth < 0 || depth > DEPTHS || repeat < 1) {
        std::fprintf(stderr, "usage: wargame perft|alphabeta DEPTH [REPEAT]\n");
        return 2;
    }
    long long count = 0, value = 0;
    double seconds = 1e30;
    for (int i = 0; i < repeat; ++i) {
        set_up(state);
        const auto start = std::chrono::steady_clock::now();
        if (what == "perft") {
            count = perft(state, depth);
        } else {
            value = alphabeta(state, depth, -(1 << 30), 1 << 30);
            count = state.nodes;
        }
        seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("%lld %lld %.6f\n", count, value, seconds);
    return 0;
}
